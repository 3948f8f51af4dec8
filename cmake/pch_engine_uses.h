// SPDX-License-Identifier: GPL-3.0-or-later
// What most files instantiate of the standard library's and JSON's templates, used once: the precompiled header keeps
// the instantiations, and no file makes them again. Nobody calls these functions and no code is made of them.
#pragma once
#include "base/json.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <fmt/core.h>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ridge::precompiled {

template<typename T>
void useValue(const T& given)
{
    T value(given);
    value = given;
    T moved(std::move(value));
    value = std::move(moved);
}

template<typename T>
void useOptional(const T& given)
{
    useValue(std::optional<T>(given));
    std::optional<T> value;
    value = given;
    value.reset();
    useValue(value.value_or(given));
    useValue(Result<T>(given));
}

template<typename T>
void useVector(const T& given)
{
    std::vector<T> values(3, given);
    useValue(values);
    values.push_back(given);
    values.push_back(T());
    values.emplace_back();
    values.assign(2, given);
    values.resize(1);
    values.reserve(4);
    values.insert(values.end(), values.begin(), values.end());
    values.erase(values.begin());
    values.clear();
}

template<typename Key, typename Value>
void useMap(const Key& key, const Value& value)
{
    std::map<Key, Value> values;
    values[key] = value;
    values.emplace(key, value);
    values.insert_or_assign(key, value);
    values.erase(key);
    if (values.find(key) == values.end() && !values.contains(key))
        values.at(key) = value;
    useValue(values);
}

template<typename T>
void useSet(const T& given)
{
    std::set<T> values{given};
    values.insert(given);
    values.emplace(given);
    values.erase(given);
    if (values.contains(given) || values.count(given) != 0)
        useValue(values);
}

inline void useJson(const Json& other, const std::string& text)
{
    Json made{{"a", 1},
              {"ab", 1.0},
              {"abc", text},
              {"abcd", "x"},
              {"abcde", true},
              {"abcdef", std::int64_t{1}},
              {"abcdefg", std::uint64_t{1}},
              {"abcdefgh", other},
              {"abcdefghi", Json::array()},
              {"abcdefghij", Json::object()},
              {"abcdefghijk", std::vector<std::string>{}},
              {"abcdefghijkl", std::vector<double>{}},
              {"abcdefghijklm", nullptr},
              {"abcdefghijklmn", {{"value", 1.0}, {"unit", "s"}}}};
    made["a"] = 1;
    made["b"] = 1.0;
    made["c"] = text;
    made["d"] = "x";
    made["e"] = true;
    made["f"] = std::int64_t{1};
    made["g"] = std::uint64_t{1};
    made["h"] = other;
    made["i"] = Json::array({1, 2.0, "x"});
    made["j"] = Json::object();
    made["k"] = std::vector<std::string>{};
    made["l"] = std::vector<double>{};
    made["m"] = std::string_view("x");
    made[text] = {{"value", 1.0}, {"unit", "s"}};
    made.push_back(other);
    made.push_back(Json());
    made.push_back(text);
    made.push_back("x");
    made.push_back(1.0);
    made.push_back({{"a", 1}});
    made.emplace_back(1.0);
    const std::string read = made.dump() + made.dump(2) + made.get<std::string>() + made.value("a", text);
    const double number = made.get<double>() + made.get<int>() + static_cast<double>(made.get<std::int64_t>()) +
                          static_cast<double>(made.get<std::uint64_t>()) + made.value("a", 1.0) + made.value("a", 1);
    const auto found = other.find("a");
    if (found != other.end() && other.contains(text) && other.at(text).is_string() && other.at("a").is_object() &&
        other.at(0).is_array() && other["a"].size() > 1 && !other.empty() && made[0] == other && number > 0)
        made.erase("a");
    for (const auto& [name, value] : other.items())
        if (name == read && made.get<bool>())
            made = value;
    for (const Json& value : other)
        made = value;
    useValue(Json::parse(read, nullptr, false));
}

inline void useStandard(const std::string& text, const std::filesystem::path& folder)
{
    using Setting = std::variant<std::int64_t, double, std::string>;
    useJson(Json(), text);
    useVector(Json());
    useOptional(Json());
    useMap(text, Json());
    useVector(text);
    useOptional(text);
    useSet(text);
    useVector(1.0);
    useVector(1);
    useVector(std::int64_t{1});
    useVector(std::uint8_t{1});
    useVector(std::uint32_t{1});
    useVector(std::uint64_t{1});
    useVector(std::vector<double>{});
    useVector(std::vector<std::string>{});
    useVector(std::pair<std::string, std::string>{});
    useVector(std::pair<std::string, double>{});
    useVector(Setting());
    useOptional(1.0);
    useOptional(1);
    useOptional(true);
    useOptional(std::int64_t{1});
    useOptional(std::uint64_t{1});
    useOptional(std::vector<std::string>{});
    useOptional(Setting());
    useOptional(folder);
    useMap(text, text);
    useMap(text, 1.0);
    useMap(text, 1);
    useMap(text, Setting());
    useSet(1);
    useValue(std::function<void()>([] {}));
    useValue(std::function<bool()>([] { return true; }));
    useValue(std::function<void(const std::string&)>([](const std::string&) {}));
    useValue(std::shared_ptr<const void>());
    std::ostringstream out;
    out << text << 1 << 1.0;
    std::string joined = "x" + text + "y" + std::to_string(1) + (folder / "x" / text).string() + out.str();
    joined += fmt::format("{} {} {}", text, 1.0, 1) + fmt::format("{}", std::string_view(joined));
    useValue(joined);
}

} // namespace ridge::precompiled
