// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_guard.h"

#include <algorithm>
#include <iterator>
#include <optional>
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

/// Keeps the names of the objects that are open, and one that an object has twice.
struct NameWatch : Json::json_sax_t {
    std::vector<std::vector<std::string>> open;
    std::string twice;

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(Json::number_integer_t) override { return true; }
    bool number_unsigned(Json::number_unsigned_t) override { return true; }
    bool number_float(Json::number_float_t, const std::string&) override { return true; }
    bool string(std::string&) override { return true; }
    bool binary(Json::binary_t&) override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }
    bool start_object(std::size_t) override
    {
        open.emplace_back();
        return true;
    }
    bool key(std::string& name) override
    {
        open.back().push_back(std::move(name));
        return true;
    }
    bool end_object() override
    {
        std::vector<std::string>& names = open.back();
        std::ranges::sort(names);
        if (const auto same = std::ranges::adjacent_find(names); same != names.end())
            twice = *same;
        open.pop_back();
        return true;
    }
};

/// Goes through a text and counts its lines as the parser reads it.
class LineCounter {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    LineCounter(const char* at, std::size_t* line) : m_at(at), m_line(line) {}
    reference operator*() const { return *m_at; }
    LineCounter& operator++()
    {
        *m_line += *m_at == '\n';
        ++m_at;
        return *this;
    }
    LineCounter operator++(int)
    {
        const LineCounter before = *this;
        ++*this;
        return before;
    }
    bool operator==(const LineCounter& other) const { return m_at == other.m_at; }

private:
    const char* m_at;
    std::size_t* m_line;
};

} // namespace

Result<void> checkUntrustedJson(std::string_view text, int depth, const std::string& place)
{
    if (const int found = deepest(text); found > depth)
        return Error{"bad-json",
                     "JSON is nested " + std::to_string(found) + " deep, at most " + std::to_string(depth) +
                         " is taken",
                     place, "No honest file is nested so deep: ask its sender what it is"};
    NameWatch watch;
    if (!Json::sax_parse(text, &watch)) {
        // The second reading is for line and column; it can only fail again.
        auto again = parseJson(text, place);
        return again ? Error{"bad-json", "not valid JSON", place, {}} : again.error();
    }
    if (!watch.twice.empty())
        return Error{"bad-json", "an object has the name '" + watch.twice.substr(0, 80) + "' twice", place,
                     "Keep one of the two"};
    return {};
}

Result<Json> parseUntrustedJson(std::string_view text, int depth, const std::string& place)
{
    if (auto sound = checkUntrustedJson(text, depth, place); !sound)
        return sound.error();
    return parseJson(text, place);
}

Result<Json> parseJsonOnce(std::string_view text, const std::string& place)
{
    if (auto plain = parseJson(text, place); !plain) // it says where a text is no JSON
        return plain;
    std::size_t line = 1;
    std::optional<Error> twice;
    std::vector<std::set<std::string>> open; // keys of the objects around
    const auto look = [&](int, Json::parse_event_t event, Json& value) {
        if (event == Json::parse_event_t::object_start)
            open.emplace_back();
        else if (event == Json::parse_event_t::object_end)
            open.pop_back();
        else if (event == Json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second && !twice)
            twice = Error{"bad-json", "the key \"" + value.get<std::string>().substr(0, 60) + "\" is given twice",
                          place + ", line " + std::to_string(line), "leave one of them out"};
        return true;
    };
    Json read = Json::parse(LineCounter(text.data(), &line), LineCounter(text.data() + text.size(), &line), look);
    return twice ? Result<Json>(*twice) : Result<Json>(std::move(read));
}

} // namespace ridge
