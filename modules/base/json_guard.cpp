// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_guard.h"

#include <set>

namespace ridge {

namespace {

/// Depth as far as brackets tell. Up to its first mistake a text is read here as the parser reads it, and there the
/// parser stops.
int deepest(std::string_view text)
{
    int depth = 0, most = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            most = std::max(most, ++depth);
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return most;
}

} // namespace

Result<Json> parseUntrustedJson(std::string_view text, int depth, const std::string& place)
{
    if (const int found = deepest(text); found > depth)
        return Error{"bad-json",
                     "JSON is nested " + std::to_string(found) + " deep, at most " + std::to_string(depth) +
                         " is taken",
                     place, "No honest file is nested so deep: ask its sender what it is"};
    std::vector<std::set<std::string>> names;
    std::string twice;
    const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start)
            names.emplace_back();
        else if (event == Json::parse_event_t::object_end)
            names.pop_back();
        else if (event == Json::parse_event_t::key && !names.back().insert(parsed.get<std::string>()).second)
            twice = parsed.get<std::string>();
        return true;
    };
    try {
        Json json = Json::parse(text, watch);
        if (!twice.empty())
            return Error{"bad-json", "an object has the name '" + twice.substr(0, 80) + "' twice", place,
                         "Keep one of the two"};
        return json;
    } catch (const Json::exception&) {
        // The second reading is for line and column; it can only fail again.
        auto again = parseJson(text, place);
        return again ? Error{"bad-json", "not valid JSON", place, {}} : again.error();
    }
}

} // namespace ridge
