// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/html_markup.h"

#include "base/csv.h"
#include "base/markup.h"

#include <cctype>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <vector>

namespace ridge::folio {
namespace {

bool isAddress(std::string_view target)
{
    if (!target.starts_with("https://") && !target.starts_with("http://"))
        return false;
    for (char c : target)
        if (static_cast<unsigned char>(c) <= 0x20 || c == '"' || c == '<' || c == '>' || c == '\'' || c == '`')
            return false;
    return target.size() < 2000;
}

/// As the URL Standard (https://url.spec.whatwg.org, "valid URL string") wants it: what may not stand in a path or a
/// query becomes %XX. Brackets stand around an IPv6 address and nowhere else.
std::string urlOf(std::string_view address)
{
    const std::size_t host = address.find("//") + 2;
    const std::size_t path = std::min(address.find_first_of("/?#", host), address.size());
    bool fragment = false;
    std::string out;
    for (std::size_t i = 0; i < address.size(); ++i) {
        const char c = address[i];
        const bool forbidden =
            std::string_view("\\^{|}").find(c) != std::string_view::npos || (i >= path && (c == '[' || c == ']')) ||
            (c == '#' && fragment) ||
            (c == '%' && !(i + 2 < address.size() && std::isxdigit(static_cast<unsigned char>(address[i + 1])) &&
                           std::isxdigit(static_cast<unsigned char>(address[i + 2]))));
        fragment = fragment || c == '#';
        if (forbidden)
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    return out;
}

struct Link {
    std::string_view label, target;
    std::size_t end = 0;
};

/// "[label](https://…)" at this place; an end of 0: there is none.
Link linkAt(std::string_view text, std::size_t at)
{
    const std::size_t close = text.find(']', at);
    if (text[at] != '[' || close == std::string_view::npos || close + 1 >= text.size() || text[close + 1] != '(')
        return {};
    const std::size_t end = text.find(')', close);
    if (end == std::string_view::npos)
        return {};
    const std::string_view target = text.substr(close + 2, end - close - 2);
    if (!isAddress(target))
        return {};
    return {text.substr(at + 1, close - at - 1), target, end + 1};
}

std::string inlineHtml(std::string_view text, bool marks)
{
    std::string out;
    std::size_t plain = 0, at = 0;
    const auto flush = [&](std::size_t to) { out += escaped(text.substr(plain, to - plain)); };
    const auto wrap = [&](std::string_view mark, const char* tag, bool code) {
        if (text.compare(at, mark.size(), mark) != 0)
            return false;
        const std::size_t begin = at + mark.size();
        const std::size_t end = text.find(mark, begin);
        if (end == std::string_view::npos || end == begin || text[begin] == ' ' || text[end - 1] == ' ')
            return false;
        flush(at);
        const std::string_view inner = text.substr(begin, end - begin);
        const std::string content = code ? escaped(inner) : inlineHtml(inner, marks);
        out += marks ? std::string("<") + tag + ">" + content + "</" + tag + ">" : content;
        at = plain = end + mark.size();
        return true;
    };
    while (at < text.size()) {
        if (wrap("`", "code", true) || wrap("**", "strong", false) || wrap("*", "em", false))
            continue;
        if (const Link link = linkAt(text, at); link.end > 0) {
            flush(at);
            const std::string label = escaped(link.label.empty() ? link.target : link.label);
            out += marks
                       ? "<a href=\"" + escaped(urlOf(link.target)) + "\" rel=\"noopener noreferrer\">" + label + "</a>"
                       : label;
            at = plain = link.end;
            continue;
        }
        ++at;
    }
    flush(text.size());
    return out;
}

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        lines.push_back(line);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return lines;
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

/// What stands behind "- ", "* " or "12. "; empty where the line is no item.
std::string_view itemOf(std::string_view line, bool& numbered)
{
    line = trimmed(line);
    numbered = false;
    if (line.starts_with("- ") || line.starts_with("* "))
        return trimmed(line.substr(2));
    std::size_t digits = 0;
    while (digits < line.size() && line[digits] >= '0' && line[digits] <= '9')
        ++digits;
    if (digits == 0 || digits > 3 || !line.substr(digits).starts_with(". "))
        return {};
    numbered = true;
    return trimmed(line.substr(digits + 2));
}

/// Collects lines into paragraphs and lists.
class Prose {
public:
    void line(std::string_view text)
    {
        bool numbered = false;
        if (const auto item = itemOf(text, numbered); !item.empty()) {
            const char* wanted = numbered ? "ol" : "ul";
            if (m_list != wanted)
                close();
            if (m_list.empty())
                m_out += std::string("<") + wanted + ">\n";
            m_list = wanted;
            m_out += "<li>" + inlineHtml(item, true) + "</li>\n";
            return;
        }
        text = trimmed(text);
        if (text.empty())
            return close();
        if (!m_list.empty())
            close();
        if (text.starts_with('#')) {
            close();
            const std::size_t from = text.find_first_not_of("# ");
            if (from != std::string_view::npos)
                m_out += "<p><strong>" + inlineHtml(text.substr(from), true) + "</strong></p>\n";
            return;
        }
        m_paragraph += (m_paragraph.empty() ? "" : "\n") + std::string(text);
    }
    void code(std::string_view text)
    {
        close();
        m_out += "<pre tabindex=\"0\"><code>" + escaped(text) + "</code></pre>\n";
    }
    std::string take()
    {
        close();
        return std::move(m_out);
    }

private:
    void close()
    {
        if (!m_list.empty())
            m_out += "</" + m_list + ">\n";
        m_list.clear();
        if (!m_paragraph.empty())
            m_out += "<p>" + inlineHtml(m_paragraph, true) + "</p>\n";
        m_paragraph.clear();
    }
    std::string m_out, m_paragraph, m_list;
};

} // namespace

std::string proseHtml(std::string_view markdown)
{
    Prose prose;
    std::string code;
    bool inCode = false;
    for (const std::string_view line : linesOf(markdown)) {
        if (trimmed(line).starts_with("```")) {
            if (inCode)
                prose.code(code);
            code.clear();
            inCode = !inCode;
        } else if (inCode) {
            code += std::string(line) + '\n';
        } else {
            prose.line(line);
        }
    }
    if (inCode)
        prose.code(code);
    return prose.take();
}

std::string plainText(std::string_view markdown)
{
    std::string out;
    for (const std::string_view line : linesOf(markdown)) {
        const std::string_view text = trimmed(line);
        if (!text.empty() && !text.starts_with("```"))
            out += (out.empty() ? "" : " ") + std::string(text);
    }
    return withoutMarks(out);
}

std::string slugOf(std::string_view title)
{
    std::string slug;
    for (char c : title) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9'))
            slug += c;
        else if (byte >= 'A' && byte <= 'Z')
            slug += static_cast<char>(byte - 'A' + 'a');
        else if (!slug.empty() && slug.back() != '-')
            slug += '-';
        if (slug.size() >= 48)
            break;
    }
    while (!slug.empty() && slug.back() == '-')
        slug.pop_back();
    return slug.empty() ? "artifact" : slug;
}

std::string csvField(std::string_view text)
{
    double number = 0;
    const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool isNumber = ec == std::errc{} && end == digits.data() + digits.size();
    return csvCell(isNumber ? std::string(text) : csvText(text));
}

} // namespace ridge::folio
