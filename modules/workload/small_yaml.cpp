// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/small_yaml.h"

#include "base/json.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

namespace ridge::workload {
namespace {

constexpr std::size_t kMostBytes = 1u << 20;
constexpr int kMostLevels = 32;

struct Line {
    std::size_t indent = 0;
    std::string_view text; ///< without indentation, comment and blanks at its end
    int number = 0;
};

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Where a comment begins, or the end.
std::size_t commentAt(std::string_view text)
{
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (quote)
            quote = text[i] == quote ? 0 : quote;
        else if ((text[i] == '"' || text[i] == '\'') &&
                 (i == 0 || std::string_view(" [{,:").find(text[i - 1]) != std::string_view::npos))
            quote = text[i];
        else if (text[i] == '#' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t'))
            return i;
    }
    return text.size();
}

class Parser {
public:
    explicit Parser(std::string place) : m_place(std::move(place)) {}

    Result<Json> parse(std::string_view text)
    {
        if (text.size() > kMostBytes)
            return Error{"bad-yaml", "the file is larger than 1 MiB", m_place, "describe the layers, not the weights"};
        split(text);
        if (!m_error && m_lines.empty())
            fail(1, "the file is empty", "write title, input and layers, as assets/networks/mlp.yaml does");
        Json out;
        if (!m_error) {
            out = block(m_lines.front().indent, 0);
            if (!m_error && m_at < m_lines.size())
                fail(m_lines[m_at].number, "this line is indented less than the first",
                     "begin all keys of a map in the same column");
        }
        if (m_error)
            return *m_error;
        return out;
    }

private:
    void fail(int line, const std::string& message, const std::string& fix)
    {
        if (!m_error)
            m_error = Error{"bad-yaml", message, m_place + ", line " + std::to_string(line), fix};
    }

    void split(std::string_view text)
    {
        int number = 0;
        while (!text.empty() && !m_error) {
            const auto end = text.find('\n');
            std::string_view line = text.substr(0, end);
            text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
            ++number;
            const auto first = line.find_first_not_of(' ');
            if (first == std::string_view::npos)
                continue;
            const std::string_view rest = line.substr(first);
            const std::string_view body = trimmed(rest.substr(0, commentAt(rest)));
            if (body.empty() || (number == 1 && body == "---"))
                continue;
            if (line[first] == '\t')
                fail(number, "a tab indents this line", "indent with spaces");
            if (body == "---" || body == "...")
                fail(number, "a second document begins here", "give one network a file");
            m_lines.push_back({first, body, number});
        }
    }

    static bool isItem(std::string_view text) { return text == "-" || text.starts_with("- "); }

    /// Lines from m_at on that are indented by `indent`.
    Json block(std::size_t indent, int level)
    {
        if (level > kMostLevels) {
            fail(m_lines[m_at].number, "the file is nested more than 32 levels deep", "nest less");
            return {};
        }
        if (isItem(m_lines[m_at].text))
            return list(indent, level);
        if (keyEnd(m_lines[m_at].text) == std::string_view::npos) {
            const Line line = m_lines[m_at++];
            return value(line.text, line.number, level);
        }
        return map(indent, level);
    }

    Json list(std::size_t indent, int level)
    {
        Json out = Json::array();
        while (!m_error && m_at < m_lines.size() && m_lines[m_at].indent == indent && isItem(m_lines[m_at].text)) {
            Line& line = m_lines[m_at];
            const std::string_view rest = trimmed(line.text.substr(1));
            if (rest.empty()) {
                ++m_at;
                out.push_back(below(indent, level));
                continue;
            }
            // What stands behind the dash is a block of its own, indented to where it begins.
            line.indent += static_cast<std::size_t>(rest.data() - line.text.data());
            line.text = rest;
            out.push_back(block(line.indent, level + 1));
        }
        checkIndent(indent);
        return out;
    }

    Json map(std::size_t indent, int level)
    {
        Json out = Json::object();
        while (!m_error && m_at < m_lines.size() && m_lines[m_at].indent == indent && !isItem(m_lines[m_at].text)) {
            const Line line = m_lines[m_at++];
            const auto colon = keyEnd(line.text);
            if (colon == std::string_view::npos) {
                fail(line.number, "\"" + std::string(line.text) + "\" is no \"key: value\"",
                     "write a colon and a space behind the key");
                break;
            }
            const std::string key = scalarText(trimmed(line.text.substr(0, colon)));
            const std::string_view rest = trimmed(line.text.substr(colon + 1));
            if (out.contains(key)) {
                fail(line.number, "the key \"" + key + "\" is given twice", "leave one of them out");
                break;
            }
            out[key] = rest.empty() ? below(indent, level, true) : value(rest, line.number, level);
        }
        checkIndent(indent);
        return out;
    }

    /// What is indented more than a key or dash that has nothing behind it. A list of a key may begin under the key.
    Json below(std::size_t indent, int level, bool listToo = false)
    {
        if (m_at < m_lines.size() && (m_lines[m_at].indent > indent ||
                                      (listToo && m_lines[m_at].indent == indent && isItem(m_lines[m_at].text))))
            return block(m_lines[m_at].indent, level + 1);
        return nullptr;
    }

    void checkIndent(std::size_t indent)
    {
        if (!m_error && m_at < m_lines.size() && m_lines[m_at].indent > indent)
            fail(m_lines[m_at].number, "this line is indented more than the one before it, which ends there",
                 "begin it in the column of its neighbours");
    }

    /// The colon behind a key, or npos.
    static std::size_t keyEnd(std::string_view text)
    {
        if (text.starts_with('[') || text.starts_with('{'))
            return std::string_view::npos;
        char quote = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (quote)
                quote = text[i] == quote ? 0 : quote;
            else if (i == 0 && (text[i] == '"' || text[i] == '\''))
                quote = text[i];
            else if (text[i] == ':' && (i + 1 == text.size() || text[i + 1] == ' '))
                return i;
        }
        return std::string_view::npos;
    }

    Json value(std::string_view text, int line, int level)
    {
        if (text.starts_with('[') || text.starts_with('{')) {
            std::size_t at = 0;
            Json out = flow(text, at, line, level + 1);
            if (!m_error && at != text.size())
                fail(line, "\"" + std::string(text.substr(at)) + "\" stands behind the closing bracket",
                     "end the line there");
            return out;
        }
        return scalar(text, line);
    }

    void skipBlanks(std::string_view text, std::size_t& at)
    {
        while (at < text.size() && text[at] == ' ')
            ++at;
    }

    Json flow(std::string_view text, std::size_t& at, int line, int level)
    {
        if (level > kMostLevels) {
            fail(line, "the file is nested more than 32 levels deep", "nest less");
            return {};
        }
        const char open = text[at++], close = open == '[' ? ']' : '}';
        Json out = open == '[' ? Json::array() : Json::object();
        for (bool first = true; !m_error; first = false) {
            skipBlanks(text, at);
            if (at < text.size() && text[at] == close) {
                ++at;
                return out;
            }
            if (!first && (at >= text.size() || text[at] != ',')) {
                fail(line, std::string("a \"") + close + "\" or a comma is missing", "close it on the same line");
                return out;
            }
            at += first ? 0 : 1;
            skipBlanks(text, at);
            if (at >= text.size()) {
                fail(line, std::string("a \"") + close + "\" is missing", "close it on the same line");
                return out;
            }
            if (open == '[') {
                out.push_back(flowValue(text, at, line, level));
                continue;
            }
            const std::string key = scalarText(trimmed(token(text, at, ":,}")));
            if (at >= text.size() || text[at] != ':') {
                fail(line, "\"" + key + "\" has no value", "write \"" + key + ": value\"");
                return out;
            }
            ++at;
            skipBlanks(text, at);
            if (out.contains(key))
                fail(line, "the key \"" + key + "\" is given twice", "leave one of them out");
            out[key] = flowValue(text, at, line, level);
        }
        return out;
    }

    Json flowValue(std::string_view text, std::size_t& at, int line, int level)
    {
        if (at < text.size() && (text[at] == '[' || text[at] == '{'))
            return flow(text, at, line, level + 1);
        return scalar(trimmed(token(text, at, ",]}")), line);
    }

    static std::string_view token(std::string_view text, std::size_t& at, std::string_view ends)
    {
        const std::size_t begin = at;
        char quote = 0;
        for (; at < text.size(); ++at) {
            if (quote)
                quote = text[at] == quote ? 0 : quote;
            else if (at == begin && (text[at] == '"' || text[at] == '\''))
                quote = text[at];
            else if (ends.find(text[at]) != std::string_view::npos)
                break;
        }
        return text.substr(begin, at - begin);
    }

    static std::string scalarText(std::string_view text)
    {
        if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
            text = text.substr(1, text.size() - 2);
        return std::string(text);
    }

    Json scalar(std::string_view text, int line)
    {
        if (text.empty() || text == "null" || text == "~")
            return nullptr;
        if (text == "true" || text == "false")
            return text == "true";
        if (text.front() == '&' || text.front() == '*' || text.front() == '!' || text.front() == '|' ||
            text.front() == '>') {
            fail(line, "\"" + std::string(text) + "\" is a part of YAML that is not read here",
                 "write the value itself: no anchors, tags and block texts");
            return {};
        }
        if (text.front() == '"' || text.front() == '\'') {
            if (text.size() < 2 || text.back() != text.front())
                fail(line, "a quote is not closed", "close it on the same line");
            return scalarText(text);
        }
        std::int64_t whole = 0;
        const char* end = text.data() + text.size();
        if (const auto read = std::from_chars(text.data(), end, whole); read.ec == std::errc() && read.ptr == end)
            return whole;
        double number = 0; // "nan" and "inf" are texts
        if (const auto read = std::from_chars(text.data(), end, number);
            (text.front() == '-' || text.front() == '.' || (text.front() >= '0' && text.front() <= '9')) &&
            read.ec == std::errc() && read.ptr == end && std::isfinite(number))
            return number;
        return std::string(text);
    }

    std::string m_place;
    std::vector<Line> m_lines;
    std::size_t m_at = 0;
    std::optional<Error> m_error;
};

} // namespace

Result<Json> parseSmallYaml(std::string_view text, const std::string& place)
{
    return Parser(place).parse(text);
}

} // namespace ridge::workload
