// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/fuzz/mutate_json.h"

#include <limits>

namespace ridge::fuzz {
namespace {

std::string dumped(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

/// Every value inside a document, itself first.
void collect(Json& json, std::vector<Json*>& all)
{
    all.push_back(&json);
    if (json.is_structured())
        for (Json& part : json)
            collect(part, all);
}

} // namespace

std::size_t JsonMutator::below(std::size_t count)
{
    return count < 2 ? 0 : m_random() % count;
}

Json JsonMutator::oddValue()
{
    static const std::vector<Json> odd = {Json(),
                                          true,
                                          false,
                                          0,
                                          -1,
                                          1,
                                          -0.0,
                                          0.5,
                                          1e308,
                                          -1e-308,
                                          std::numeric_limits<std::int64_t>::max(),
                                          std::numeric_limits<std::int64_t>::min(),
                                          std::numeric_limits<std::uint64_t>::max(),
                                          1ull << 53,
                                          "",
                                          " ",
                                          std::string("a\0b", 3),
                                          "\xc3\xbc\xe2\x80\xae",
                                          std::string(300, 'x'),
                                          "../../etc/passwd",
                                          "'); DROP TABLE run; --",
                                          "<script>alert(1)</script>",
                                          "0190c0de-0000-7000-8000-00000000000a",
                                          "2026-13-45T99:00:00.000Z",
                                          "9999-12-31T23:59:59.999Z",
                                          std::string(64, 'a'),
                                          "NaN",
                                          "1e999",
                                          "[]",
                                          "{}",
                                          "[[[[[[[[1]]]]]]]]",
                                          "{\"a\":1,\"a\":2}",
                                          Json::array(),
                                          Json::object(),
                                          Json::array({1, "two", nullptr}),
                                          Json{{"name", "x"}, {"sha256", std::string(64, '0')}}};
    return odd[below(odd.size())];
}

Json JsonMutator::replaced(const Json& value, int level)
{
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        // Columns hold JSON as text.
        if (level < 2 && !text.empty() && (text[0] == '{' || text[0] == '[') && !oneIn(4))
            if (const Json inner = Json::parse(text, nullptr, false); !inner.is_discarded())
                return dumped(mutated(inner, level + 1));
        if (oneIn(2))
            return m_bytes(text);
    }
    if (value.is_number_integer() && oneIn(2))
        return static_cast<std::int64_t>(value.get<std::uint64_t>() + (oneIn(2) ? 1u : ~0u));
    if (value.is_number_float() && oneIn(2))
        return value.get<double>() * (oneIn(2) ? 2 : -1);
    if (value.is_boolean() && oneIn(2))
        return !value.get<bool>();
    if (!m_documents.empty() && oneIn(2)) {
        std::vector<Json*> all;
        collect(m_documents[below(m_documents.size())], all);
        return *all[below(all.size())];
    }
    return oddValue();
}

Json JsonMutator::mutated(const Json& document, int level)
{
    Json changed = document;
    std::vector<Json*> all;
    collect(changed, all);
    Json& at = *all[below(all.size())];
    if (at.is_object() && !at.empty() && oneIn(2)) {
        const auto member = std::next(at.begin(), static_cast<std::ptrdiff_t>(below(at.size())));
        if (oneIn(3)) {
            at.erase(member);
        } else if (oneIn(3)) {
            const Json value = member.value();
            at[m_bytes(member.key())] = value;
        } else {
            const Json value = replaced(member.value(), level);
            member.value() = value;
        }
    } else if (at.is_array() && oneIn(2)) {
        if (!at.empty() && oneIn(2))
            at.erase(below(at.size()));
        else
            at.push_back(at.empty() ? oddValue() : replaced(at[below(at.size())], level));
    } else {
        const Json value = replaced(at, level);
        at = value;
    }
    return changed;
}

std::string JsonMutator::operator()(const std::string& text)
{
    std::vector<std::string> lines = linesOf(text);
    m_documents.clear();
    for (const std::string& line : lines)
        if (Json json = Json::parse(line, nullptr, false); !json.is_discarded())
            m_documents.push_back(std::move(json));
    for (std::size_t rounds = 1 + below(3); rounds > 0; --rounds) {
        if (lines.empty())
            return dumped(oddValue()) + "\n";
        const std::size_t at = below(lines.size());
        const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
        if (const std::size_t what = below(12); what == 0)
            lines.insert(place, std::string(*place));
        else if (what == 1)
            lines.erase(place);
        else if (what == 2)
            std::swap(*place, lines[below(lines.size())]);
        else if (const Json json = Json::parse(*place, nullptr, false); !json.is_discarded())
            *place = dumped(mutated(json, 0));
        else
            *place = m_bytes(*place);
    }
    std::string all;
    for (const std::string& line : lines)
        all += line + "\n";
    return all;
}

} // namespace ridge::fuzz
