// SPDX-License-Identifier: GPL-3.0-or-later
// What a fingerprint says, in words; and the runs as CSV.
#include "base/json.h"
#include "base/units.h"
#include "portfolio/html_markup.h"
#include "portfolio/portfolio_document.h"

#include <algorithm>
#include <set>

namespace ridge::folio {
namespace {

std::string textOf(const Json& object, const char* key)
{
    if (!object.is_object())
        return {};
    const auto found = object.find(key);
    if (found == object.end())
        return {};
    return found->is_string() ? found->get<std::string>() : found->is_number() ? found->dump() : std::string();
}

/// "h100-sxm" as people write it.
std::string chipName(std::string id)
{
    std::replace(id.begin(), id.end(), '-', ' ');
    std::transform(id.begin(), id.end(), id.begin(), [](unsigned char c) { return std::toupper(c); });
    return id;
}

std::string readable(std::string key)
{
    static const std::set<std::string> capitals = {"cpu", "gpu", "ram", "os", "cuda", "ecc", "sm", "l2", "pcie", "id"};
    // Two of a fingerprint's names would be taken for something else.
    if (key == "kernel")
        return "OS kernel";
    if (key == "app")
        return "Ridgepoint";
    std::string out;
    std::size_t begin = 0;
    while (begin <= key.size()) {
        const std::size_t end = std::min(key.find('_', begin), key.size());
        std::string word = key.substr(begin, end - begin);
        if (capitals.contains(word))
            std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::toupper(c); });
        else if (out.empty() && !word.empty())
            word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
        out += (out.empty() ? "" : " ") + word;
        begin = end + 1;
    }
    return out;
}

using Facts = std::vector<std::pair<std::string, std::string>>;

void addFact(Facts& facts, const std::string& key, const Json& value)
{
    const struct {
        const char* suffix;
        const char* unit;
        double factor;
    } units[] = {{"_bytes", "B", 1}, {"_hz", "Hz", 1}, {"_w", "W", 1}, {"_gib", "GiB", 1}, {"_bits", "bit", 1}};
    if (value.is_number()) {
        for (const auto& unit : units)
            if (key.ends_with(unit.suffix))
                return facts.push_back({readable(key.substr(0, key.size() - std::string_view(unit.suffix).size())),
                                        formatQuantity(value.get<double>() * unit.factor, unit.unit)});
        return facts.push_back({readable(key), formatNumber(value.get<double>())});
    }
    if (value.is_boolean())
        return facts.push_back({readable(key), value.get<bool>() ? "on" : "off"});
    if (value.is_string())
        return facts.push_back({readable(key), value.get<std::string>()});
    if (value.is_array()) {
        // A list that nobody reads as a whole is counted; rows.jsonl has it.
        if (value.size() > 6)
            return facts.push_back({readable(key), std::to_string(value.size()) + " entries, in rows.jsonl"});
        std::string words;
        for (const Json& item : value)
            words += (words.empty() ? "" : ", ") + (item.is_string() ? item.get<std::string>() : item.dump());
        return facts.push_back({readable(key), words});
    }
}

} // namespace

std::string machineLine(const Json& fingerprint)
{
    if (!fingerprint.is_object())
        return "unknown machine";
    const Json target = fingerprint.value("target", Json::object());
    const std::string cpu = textOf(fingerprint, "cpu");
    const std::string on = cpu.empty() ? std::string() : ", on " + cpu;
    std::string made;
    const std::string machine = textOf(target, "title");
    if (const std::string simulator = textOf(target, "simulator"); !simulator.empty())
        made = "Simulator " + textOf(target, "version") + " of the " +
               (machine.empty() ? chipName(textOf(target, "chip")) : machine) + on;
    else if (const std::string model = textOf(target, "model"); !model.empty())
        made = "Model, a " + model + " (version " + textOf(target, "version") + ")";
    else if (const std::string name = textOf(target, "name"); !name.empty()) {
        made = name;
        if (const std::string limit = textOf(target, "power_limit_w"); !limit.empty())
            made += ", power limit " + limit + " W";
        if (const std::string driver = textOf(target, "driver"); !driver.empty())
            made += ", driver " + driver;
        if (const std::string cuda = textOf(target, "cuda"); !cuda.empty())
            made += ", CUDA " + cuda;
    } else {
        made = cpu.empty() ? "unknown machine" : cpu;
        if (const std::string cores = textOf(fingerprint, "cores"); !cores.empty() && !cpu.empty())
            made += ", " + cores + " cores";
    }
    return made;
}

Facts machineFacts(const Json& fingerprint)
{
    Facts facts;
    if (!fingerprint.is_object())
        return facts;
    if (const auto target = fingerprint.find("target"); target != fingerprint.end() && target->is_object())
        for (const auto& [key, value] : target->items())
            addFact(facts, key, value);
    for (const auto& [key, value] : fingerprint.items())
        if (key != "target" && key != "kernels")
            addFact(facts, key, value);
    if (const auto kernels = fingerprint.find("kernels"); kernels != fingerprint.end() && kernels->is_array())
        for (const Json& kernel : *kernels)
            facts.push_back({"Kernel", textOf(kernel, "name") + ", compiled by " + textOf(kernel, "compiler") + " " +
                                           textOf(kernel, "version") + " for " + textOf(kernel, "arch")});
    return facts;
}

std::string runsCsv(const std::vector<record::RunRow>& runs)
{
    std::set<std::string> params, metrics;
    std::map<std::string, std::string> units; ///< of a metric that has one unit throughout
    for (const record::RunRow& run : runs) {
        for (const auto& [name, value] : run.params)
            params.insert(name);
        for (const auto& [name, value] : run.metrics) {
            metrics.insert(name);
            if (const auto [place, fresh] = units.try_emplace(name, value.unit); !fresh && place->second != value.unit)
                place->second.clear();
        }
    }
    const auto head = [&](const std::string& name) {
        const std::string& unit = units[name];
        return csvField(unit.empty() || unit == "1" ? name : name + " [" + unit + "]");
    };
    std::string out = "run,experiment,version,target,seed,validity,provenance";
    for (const std::string& name : params)
        out += "," + csvField(name);
    for (const std::string& name : metrics)
        out += "," + head(name);
    out += "\r\n";
    for (const record::RunRow& run : runs) {
        out += csvField(run.id) + "," + csvField(run.experiment) + "," + std::to_string(run.version) + "," +
               csvField(run.target) + "," + std::to_string(run.seed) + "," +
               csvField(run.status == "failed" ? "failed" : run.validity) + "," + std::string(toText(run.provenance));
        for (const std::string& name : params) {
            const auto found = run.params.find(name);
            out += "," + (found == run.params.end() ? std::string() : csvField(toText(found->second)));
        }
        for (const std::string& name : metrics) {
            const auto found = run.metrics.find(name);
            if (found == run.metrics.end()) {
                out += ",";
                continue;
            }
            const std::string number = Json(found->second.value).dump();
            out +=
                "," + (units[name].empty() && !found->second.unit.empty() ? csvField(number + " " + found->second.unit)
                                                                          : number);
        }
        out += "\r\n";
    }
    return out;
}

} // namespace ridge::folio
