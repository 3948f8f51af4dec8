// SPDX-License-Identifier: GPL-3.0-or-later
// Asks one config.json for its keys.
#pragma once

#include "base/experiment_info.h"
#include "base/json.h"
#include "workload/config_families.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ridge::workload {

/// Reads one config and keeps the first thing that is wrong in it. Keys are asked for by the first of their names.
class ConfigReader {
public:
    ConfigReader(const Json& json, std::string place) : m_json(json), m_place(std::move(place)) {}

    /// What the file leaves out is as in its class. The sizes among it are told.
    void setDefaults(std::string_view defaults)
    {
        static const std::set<std::string> told{"hidden_size",
                                                "num_hidden_layers",
                                                "num_attention_heads",
                                                "vocab_size",
                                                "intermediate_size",
                                                "num_experts",
                                                "num_experts_per_tok",
                                                "moe_intermediate_size",
                                                "d_model",
                                                "d_ff",
                                                "d_kv",
                                                "num_layers",
                                                "num_heads",
                                                "encoder_layers",
                                                "decoder_layers",
                                                "encoder_ffn_dim",
                                                "decoder_ffn_dim",
                                                "encoder_attention_heads",
                                                "decoder_attention_heads",
                                                "num_mel_bins",
                                                "state_size"};
        const Json known = Json::parse(defaults);
        std::vector<std::string> unused;
        for (const auto& [key, value] : m_json.items())
            unused.push_back(key);
        std::string taken;
        for (const auto& [key, value] : known.items()) {
            if (m_json.contains(nameOf(key)))
                continue;
            m_json[key] = value;
            if (!told.contains(key))
                continue;
            taken += (taken.empty() ? "" : ", ") + key + " " + value.dump();
            // A name that is one slip away is one: transformers would leave it out without a word.
            for (const std::string& near : nearestNames(key, unused))
                if (!known.contains(near) && near.size() + 2 > key.size() && key.size() + 2 > near.size())
                    fail(near, "\"" + near + "\" is not known, and \"" + key + "\" is missing",
                         "write \"" + key + "\"");
        }
        if (!taken.empty())
            assume("not given, and so as in the class of transformers: " + taken);
    }
    /// The name that the file uses.
    std::string nameOf(const std::string& key) const
    {
        if (!m_json.contains(key))
            for (const std::string_view other : otherKeys(key))
                if (m_json.contains(other))
                    return std::string(other);
        return key;
    }

    void fail(const std::string& key, const std::string& message, const std::string& fix)
    {
        if (!m_error)
            m_error = Error{"bad-config", message, key.empty() ? m_place : m_place + ": " + key, fix};
    }
    bool has(const std::string& given) const
    {
        const auto found = m_json.find(nameOf(given));
        return found != m_json.end() && !found->is_null();
    }
    /// A size of at least `least`.
    std::uint32_t size(const std::string& given, std::uint32_t least = 1)
    {
        const std::string key = nameOf(given);
        if (!has(key)) {
            fail(key, "\"" + key + "\" is missing", "add it; the model's page shows its whole config.json");
            return 0;
        }
        const Json& value = m_json[key];
        const double number = value.is_number() ? value.get<double>() : -1;
        if (number != std::floor(number) || number < least || number > kMost) {
            fail(key, "\"" + key + "\" is " + value.dump().substr(0, 60) + " and must be a whole number",
                 "give " + std::to_string(least) + " to " + std::to_string(static_cast<std::uint32_t>(kMost)));
            return 0;
        }
        return static_cast<std::uint32_t>(number);
    }
    /// A size that may be left out; `told` empty: that goes without saying.
    std::uint32_t sizeOr(const std::string& key, std::uint32_t otherwise, const std::string& told = {})
    {
        if (has(key))
            return size(key, 0);
        if (!told.empty())
            assume(key + " is not given: " + told);
        return otherwise;
    }
    /// A switch of config_families.h.
    bool on(std::string_view keys)
    {
        if (keys.empty() || keys == kYes)
            return !keys.empty();
        const std::string first(keys.substr(0, keys.find('|'))), second(keys.substr(keys.find('|') + 1));
        return flag(has(first) ? first : second, false);
    }
    /// Of two sizes; one that is too large is a slip in `key`.
    std::uint32_t product(const std::string& key, double a, double b)
    {
        if (a * b <= kMost)
            return static_cast<std::uint32_t>(a * b);
        fail(nameOf(key), "\"" + nameOf(key) + "\" makes a part wider than " + std::to_string(static_cast<int>(kMost)),
             "give a smaller number");
        return 0;
    }
    bool flag(const std::string& key, bool otherwise)
    {
        if (!has(key))
            return otherwise;
        if (!m_json[key].is_boolean()) {
            fail(key, "\"" + key + "\" is not true or false", "write true or false");
            return otherwise;
        }
        return m_json[key].get<bool>();
    }
    /// Of an object; 0 where there is none.
    std::uint32_t entries(const char* key) const
    {
        return has(key) && m_json[key].is_object() ? static_cast<std::uint32_t>(m_json[key].size()) : 0;
    }
    const Json& at(const std::string& key) const { return m_json[nameOf(key)]; }
    std::string text(const char* key)
    {
        if (!has(key) || !m_json[key].is_string()) {
            fail(key, std::string("\"") + key + "\" is missing or no text", "write it in quotes, as \"llama\"");
            return {};
        }
        return m_json[key].get<std::string>();
    }
    std::vector<std::uint32_t> sizes(const char* key)
    {
        std::vector<std::uint32_t> out;
        if (!has(key) || !m_json[key].is_array() || m_json[key].empty() || m_json[key].size() > 64) {
            fail(key, std::string("\"") + key + "\" is missing or no list of sizes", "write it as [3, 4, 6, 3]");
            return out;
        }
        for (const Json& each : m_json[key]) {
            const double number = each.is_number() ? each.get<double>() : 0;
            if (number != std::floor(number) || number < 1 || number > kMost) {
                fail(key, std::string("\"") + key + "\" has " + each.dump() + ", which is no size",
                     "give whole numbers");
                return out;
            }
            out.push_back(static_cast<std::uint32_t>(number));
        }
        return out;
    }
    /// How many layers a list of kinds calls `kind`, where the file has that list: newer ones name every layer.
    std::optional<std::uint32_t> layersOfKind(const std::string& key, std::string_view kind, std::uint32_t layers,
                                              const std::vector<std::string>& kinds)
    {
        if (!has(key))
            return std::nullopt;
        const Json& list = m_json[key];
        if (!list.is_array() || list.size() != layers) {
            fail(key, "\"" + key + "\" is no list of " + std::to_string(layers) + " kinds of layers",
                 "give one for each of num_hidden_layers, or leave it out");
            return std::nullopt;
        }
        std::uint32_t found = 0;
        for (const Json& each : list) {
            if (!each.is_string() || std::ranges::find(kinds, each.get<std::string>()) == kinds.end()) {
                fail(key, "the kind of layer " + each.dump().substr(0, 60) + " is not known",
                     "take " + kinds[0] + " or " + kinds[1]);
                return std::nullopt;
            }
            found += each.get<std::string>() == kind;
        }
        return found;
    }
    /// Layers that a list of numbers names, each once.
    std::set<std::uint32_t> layersIn(const std::string& key, std::uint32_t layers)
    {
        std::set<std::uint32_t> which;
        if (!has(key))
            return which;
        const std::string fix =
            "give numbers of layers, 0 to " + std::to_string(layers ? layers - 1 : 0) + ", as [0, 1]";
        if (!m_json[key].is_array()) {
            fail(key, "\"" + key + "\" is no list", fix);
            return which;
        }
        for (const Json& each : m_json[key]) {
            if (!each.is_number_unsigned() || each.get<std::uint64_t>() >= layers) {
                fail(key, "\"" + key + "\" has " + each.dump().substr(0, 60) + ", which is no layer", fix);
                return which;
            }
            which.insert(each.get<std::uint32_t>());
        }
        return which;
    }
    void assume(std::string what) { m_assumed.push_back(std::move(what)); }

    const std::optional<Error>& error() const { return m_error; }
    std::vector<std::string> assumed() { return std::move(m_assumed); }

private:
    static constexpr double kMost = 1u << 24; ///< of any size; a larger one is a slip, and products stay below 2^53

    Json m_json;
    std::string m_place;
    std::optional<Error> m_error;
    std::vector<std::string> m_assumed;
};

} // namespace ridge::workload
