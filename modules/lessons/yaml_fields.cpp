// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/yaml_fields.h"

#include "lessons/text.h"

#include <charconv>
#include <cmath>
#include <set>
#include <sstream>
#include <yaml-cpp/eventhandler.h>

namespace ridge::lessons {
namespace {

struct Refused {
    int line;
    std::string message;
};

/// Walks the events of a document before a tree is built, so that a small text cannot become a large one.
class Guard : public YAML::EventHandler {
public:
    void OnDocumentStart(const YAML::Mark& mark) override
    {
        if (++m_documents > 1)
            throw Refused{mark.line, "a second document begins here; remove the '---'"};
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { node(mark, anchor); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override
    {
        throw Refused{mark.line, "aliases (*name) are not allowed; write the value out"};
    }
    void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string&) override
    {
        node(mark, anchor);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override
    {
        open(mark, anchor);
    }
    void OnSequenceEnd() override { --m_depth; }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override
    {
        open(mark, anchor);
    }
    void OnMapEnd() override { --m_depth; }

private:
    void node(const YAML::Mark& mark, YAML::anchor_t anchor)
    {
        if (anchor != 0)
            throw Refused{mark.line, "anchors (&name) are not allowed; write the value out"};
        if (++m_nodes > 20000)
            throw Refused{mark.line, "more than 20000 values; split the file"};
    }
    void open(const YAML::Mark& mark, YAML::anchor_t anchor)
    {
        node(mark, anchor);
        if (++m_depth > 16)
            throw Refused{mark.line, "nested more than 16 deep; check the brackets"};
    }
    int m_documents = 0;
    int m_nodes = 0;
    int m_depth = 0;
};

bool refusedBeforeParsing(const std::string& text, const std::string& what, const YamlPlace& place)
{
    int line = 0;
    for (const std::string_view content : splitLines(text)) {
        const std::string_view indent = content.substr(0, std::min(content.find_first_not_of(" \t"), content.size()));
        if (indent.find('\t') != std::string_view::npos) {
            place.problem(place.firstLine + line, what + ": a tab indents this line; indent with spaces");
            return true;
        }
        ++line;
    }
    return false;
}

/// True for text that cannot hold an alias, an anchor, a second document or deep nesting, as nearly all authored text:
/// the guard, which costs as much as parsing, may be skipped (56 heads are read when the program starts).
bool plainlyHarmless(const std::string& text)
{
    if (text.size() > (64u << 10) || text.find("\n---") != std::string::npos || text.starts_with("---"))
        return false;
    std::size_t brackets = 0, column = 0, indent = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool wordFollows = i + 1 < text.size() && text[i + 1] != ' ' && text[i + 1] != '\n';
        if ((c == '&' || c == '*' || c == '%') && wordFollows)
            return false;
        brackets += c == '[' || c == '{' ? 1 : 0;
        column = c == '\n' ? 0 : column + 1;
        // Only blanks and dashes open a level outside brackets.
        if (c != ' ' && c != '-' && c != '?' && c != ':' && c != '\n')
            column = 1000;
        indent = std::max(indent, column < 1000 ? column : 0);
    }
    return brackets <= 64 && indent <= 24;
}

std::string typeName(const YAML::Node& node)
{
    if (node.IsSequence())
        return "a list";
    if (node.IsMap())
        return "a mapping";
    return "a text";
}

bool isQuoted(const YAML::Node& node)
{
    return node.Tag() == "!";
}

std::optional<double> plainNumber(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

ParamValue paramValueOf(const YAML::Node& node)
{
    const std::string& text = node.Scalar();
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (!isQuoted(node) && error == std::errc() && end == text.data() + text.size())
        return whole;
    if (const std::optional<double> real = plainNumber(text); real && !isQuoted(node))
        return *real;
    return text;
}

} // namespace

std::optional<YAML::Node> parseYaml(const std::string& text, const std::string& what, const YamlPlace& place)
{
    if (refusedBeforeParsing(text, what, place))
        return std::nullopt;
    try {
        if (!plainlyHarmless(text)) {
            std::istringstream stream(text);
            YAML::Parser parser(stream);
            Guard guard;
            while (parser.HandleNextDocument(guard)) {
            }
        }
        return YAML::Load(text);
    } catch (const Refused& refused) {
        place.problem(place.firstLine + std::max(0, refused.line), what + ": " + refused.message);
    } catch (const YAML::Exception& error) {
        place.problem(place.firstLine + std::max(0, error.mark.line),
                      what + " is not YAML: " + error.msg + "; quote texts that contain ': ' or ' #'");
    }
    return std::nullopt;
}

Fields::Fields(const YAML::Node& node, std::string what, const YamlPlace& place, std::vector<std::string> known)
    : m_what(std::move(what)), m_place(place), m_line(place.firstLine)
{
    if (!node.IsDefined() || node.IsNull()) {
        m_place.problem(m_line, m_what + " is empty; give it at least one 'key: value' line");
        return;
    }
    m_line = place.lineOf(node);
    if (!node.IsMap()) {
        m_place.problem(m_line, m_what + " is " + typeName(node) + "; write 'key: value' lines");
        return;
    }
    for (const auto& entry : node) {
        const int line = place.lineOf(entry.first);
        if (!entry.first.IsScalar()) {
            m_place.problem(line, m_what + ": a key is " + typeName(entry.first) + "; keys are plain words");
            continue;
        }
        const std::string& key = entry.first.Scalar();
        if (std::find(known.begin(), known.end(), key) == known.end())
            m_place.problem(line, m_what + ": unknown key '" + key + "'" + didYouMean(key, known));
        else if (m_values.emplace(key, entry.second).second)
            m_lines.emplace(key, line);
        else
            m_place.problem(line, m_what + ": key '" + key + "' is given twice; keep one");
    }
}

int Fields::line(const std::string& key) const
{
    const auto found = m_lines.find(key);
    return found == m_lines.end() ? m_line : found->second;
}

void Fields::problem(const std::string& key, const std::string& message) const
{
    m_place.problem(line(key), m_what + ": " + message);
}

const YAML::Node* Fields::find(const std::string& key, Need need, const char* expected) const
{
    const auto found = m_values.find(key);
    if (found != m_values.end() && !found->second.IsNull())
        return &found->second;
    if (found != m_values.end())
        problem(key, "'" + key + "' has no value; give it " + expected);
    else if (need == Need::Required && !m_values.empty())
        m_place.problem(m_line, m_what + ": missing key '" + key + "'; give it " + expected);
    return nullptr;
}

std::string Fields::text(const std::string& key, Need need) const
{
    const YAML::Node* node = find(key, need, "a text");
    if (!node)
        return {};
    if (!node->IsScalar()) {
        problem(key, "'" + key + "' is " + typeName(*node) + "; give it one text");
        return {};
    }
    const std::string value(trimmed(node->Scalar()));
    if (value.empty())
        problem(key, "'" + key + "' is empty; give it a text");
    return value;
}

std::string Fields::oneOf(const std::string& key, std::span<const std::string_view> choices,
                          std::string_view fallback) const
{
    if (!has(key) && !fallback.empty())
        return std::string(fallback);
    const std::string value = text(key);
    if (value.empty() || std::find(choices.begin(), choices.end(), value) != choices.end())
        return value;
    const std::vector<std::string> known(choices.begin(), choices.end());
    problem(key, "'" + key + "' cannot be '" + value + "'" + didYouMean(value, known));
    return std::string(fallback);
}

std::optional<double> Fields::numberOf(const std::string& key, const YAML::Node& node, bool whole) const
{
    const std::optional<double> value = node.IsScalar() ? plainNumber(node.Scalar()) : std::nullopt;
    if (!value || isQuoted(node)) {
        problem(key, "'" + key + "' is not a number; write it without quotes or unit");
        return std::nullopt;
    }
    if (whole && (*value != std::floor(*value) || std::abs(*value) > 1e9)) {
        problem(key, "'" + key + "' is not a whole number; write one between -1e9 and 1e9");
        return std::nullopt;
    }
    return value;
}

double Fields::number(const std::string& key, Need need, double fallback) const
{
    const YAML::Node* node = find(key, need, "a number");
    return node ? numberOf(key, *node, false).value_or(fallback) : fallback;
}

std::optional<double> Fields::optionalNumber(const std::string& key) const
{
    const YAML::Node* node = find(key, Need::Optional, "a number");
    return node ? numberOf(key, *node, false) : std::nullopt;
}

int Fields::integer(const std::string& key, Need need, int fallback) const
{
    const YAML::Node* node = find(key, need, "a whole number");
    return node ? static_cast<int>(numberOf(key, *node, true).value_or(fallback)) : fallback;
}

bool Fields::flag(const std::string& key, bool fallback) const
{
    const YAML::Node* node = find(key, Need::Optional, "true or false");
    if (!node)
        return fallback;
    if (node->IsScalar() && !isQuoted(*node) && (node->Scalar() == "true" || node->Scalar() == "false"))
        return node->Scalar() == "true";
    problem(key, "'" + key + "' is neither true nor false");
    return fallback;
}

std::vector<std::string> Fields::texts(const std::string& key, Need need) const
{
    const YAML::Node* node = find(key, need, "a list of texts");
    if (!node)
        return {};
    if (node->IsScalar())
        return {text(key, need)};
    std::vector<std::string> values;
    if (node->IsSequence()) {
        for (const YAML::Node& item : *node) {
            if (item.IsScalar() && !trimmed(item.Scalar()).empty())
                values.emplace_back(trimmed(item.Scalar()));
            else
                m_place.problem(m_place.lineOf(item), m_what + ": '" + key + "' has an item that is no text; quote it");
        }
    } else {
        problem(key, "'" + key + "' is a mapping; give it a list of texts");
    }
    if (values.empty() && need == Need::Required && node->IsSequence() && node->size() == 0)
        problem(key, "'" + key + "' is an empty list; give it at least one text");
    return values;
}

std::vector<int> Fields::integers(const std::string& key) const
{
    std::vector<int> values;
    const YAML::Node* node = find(key, Need::Optional, "a list of whole numbers");
    if (!node)
        return values;
    if (!node->IsSequence()) {
        problem(key, "'" + key + "' is " + typeName(*node) + "; give it a list of whole numbers");
        return values;
    }
    for (const YAML::Node& item : *node)
        if (const std::optional<double> value = numberOf(key, item, true))
            values.push_back(static_cast<int>(*value));
    return values;
}

ParamSet Fields::params(const std::string& key, Need need) const
{
    const YAML::Node* node = find(key, need, "parameters, as {stride: 8}");
    if (!node)
        return {};
    if (!node->IsMap()) {
        problem(key, "'" + key + "' is " + typeName(*node) + "; give it parameters, as {stride: 8}");
        return {};
    }
    return paramsOf(key, *node);
}

std::vector<ParamSet> Fields::paramSets(const std::string& key) const
{
    std::vector<ParamSet> sets;
    const char* expected = "a list of parameters, as [{stride: 1}, {stride: 2}]";
    const YAML::Node* node = find(key, Need::Required, expected);
    if (!node)
        return sets;
    if (!node->IsSequence() || node->size() == 0) {
        problem(key, "'" + key + "' is " + (node->IsSequence() ? "an empty list" : typeName(*node)) + "; give it " +
                         expected);
        return sets;
    }
    for (const YAML::Node& item : *node) {
        if (item.IsMap())
            sets.push_back(paramsOf(key, item));
        else
            m_place.problem(m_place.lineOf(item),
                            m_what + ": '" + key + "' has an item that is no parameters; write {stride: 8}");
    }
    return sets;
}

std::vector<ParamSet> Fields::instances(const std::string& key) const
{
    const char* expected = "values, as {stride: [3, 5, 7]}";
    const YAML::Node* node = find(key, Need::Optional, expected);
    if (!node)
        return {};
    if (node->IsSequence())
        return paramSets(key);
    if (!node->IsMap()) {
        problem(key, "'" + key + "' is " + typeName(*node) + "; give it " + expected);
        return {};
    }
    std::vector<ParamSet> all{{}};
    for (const auto& entry : *node) {
        const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : std::string();
        std::vector<ParamValue> values;
        if (entry.second.IsSequence()) {
            for (const YAML::Node& item : entry.second)
                if (item.IsScalar())
                    values.push_back(paramValueOf(item));
        } else if (entry.second.IsScalar()) {
            ParamSpec spec;
            spec.name = name;
            spec.type = ParamType::Real;
            spec.min = -1e15;
            spec.max = 1e15;
            const auto axis = parseSweep(std::span(&spec, 1), name + "=" + entry.second.Scalar());
            if (axis.ok())
                for (const ParamValue& value : axis->values) {
                    const double number = asNumber(value).value_or(0);
                    values.push_back(number == std::floor(number) ? ParamValue(static_cast<std::int64_t>(number))
                                                                  : value);
                }
            else
                m_place.problem(m_place.lineOf(entry.second),
                                m_what + ": '" + key + "': " + axis.error().message + "; " + axis.error().fix);
        }
        if (name.empty() || values.empty()) {
            m_place.problem(m_place.lineOf(entry.first), m_what + ": '" + key + "' has no values for '" + name +
                                                             "'; write [3, 5, 7] or \"1..33:2\"");
            continue;
        }
        if (all.size() * values.size() > kMostInstances) {
            problem(key, "'" + key + "' makes more than " + std::to_string(kMostInstances) +
                             " instances; give it fewer values");
            return {};
        }
        std::vector<ParamSet> wider;
        for (const ParamSet& set : all)
            for (const ParamValue& value : values) {
                wider.push_back(set);
                wider.back()[name] = value;
            }
        all = std::move(wider);
    }
    if (all.size() == 1 && all.front().empty())
        all.clear();
    return all;
}

ParamSet Fields::paramsOf(const std::string& key, const YAML::Node& node) const
{
    ParamSet set;
    for (const auto& entry : node) {
        if (!entry.first.IsScalar() || !entry.second.IsScalar())
            m_place.problem(m_place.lineOf(entry.first), m_what + ": '" + key + "' needs one value for each parameter");
        else if (!set.emplace(entry.first.Scalar(), paramValueOf(entry.second)).second)
            m_place.problem(m_place.lineOf(entry.first),
                            m_what + ": '" + key + "' sets '" + entry.first.Scalar() + "' twice; keep one");
    }
    return set;
}

std::vector<YAML::Node> Fields::items(const std::string& key, Need need) const
{
    std::vector<YAML::Node> nodes;
    const YAML::Node* node = find(key, need, "a list");
    if (!node)
        return nodes;
    if (!node->IsSequence()) {
        problem(key, "'" + key + "' is " + typeName(*node) + "; give it a list, one '- ' an item");
        return nodes;
    }
    for (const YAML::Node& item : *node)
        nodes.push_back(item);
    return nodes;
}

} // namespace ridge::lessons
