// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/safe_markup.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace ridge::folio {
namespace {

constexpr std::size_t kMostFaults = 50;

bool isVoid(const std::string& name)
{
    return name == "meta" || name == "link" || name == "br" || name == "hr";
}

const std::set<std::string>& elements()
{
    static const std::set<std::string> all = {
        "html",    "head",    "title", "meta",   "link",       "body",    "header",  "main",    "footer", "nav",
        "section", "article", "div",   "span",   "p",          "h1",      "h2",      "h3",      "h4",     "a",
        "ul",      "ol",      "li",    "dl",     "dt",         "dd",      "table",   "caption", "thead",  "tbody",
        "tr",      "th",      "td",    "figure", "figcaption", "details", "summary", "strong",  "em",     "code",
        "pre",     "br",      "svg",   "desc",   "polyline",   "polygon", "circle",  "rect",    "text",   "style"};
    return all;
}

const std::set<std::string>& attributes()
{
    static const std::set<std::string> all = {"lang",
                                              "charset",
                                              "name",
                                              "content",
                                              "http-equiv",
                                              "rel",
                                              "href",
                                              "class",
                                              "id",
                                              "role",
                                              "scope",
                                              "tabindex",
                                              "xmlns",
                                              "viewBox",
                                              "width",
                                              "height",
                                              "stroke-width",
                                              "stroke-dasharray",
                                              "points",
                                              "cx",
                                              "cy",
                                              "r",
                                              "x",
                                              "y",
                                              "font-size",
                                              "fill",
                                              "stroke",
                                              "font-family",
                                              "font-weight",
                                              "text-anchor",
                                              "transform",
                                              "focusable",
                                              "open"};
    return all;
}

std::string lowered(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

bool isNameByte(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == ':' || c == '_';
}

bool isNumber(std::string_view text)
{
    double value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    return ec == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

std::vector<std::string_view> parted(std::string_view text, char by)
{
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(by, at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

bool areNumbers(std::string_view text, std::size_t least, std::size_t most)
{
    const auto parts = parted(text, ' ');
    return parts.size() >= least && parts.size() <= most && std::ranges::all_of(parts, isNumber);
}

/// "1,2 3,4.5"; nothing at all is a line without points.
bool arePoints(std::string_view text)
{
    return text.empty() || std::ranges::all_of(parted(text, ' '), [](std::string_view pair) {
               const auto parts = parted(pair, ',');
               return parts.size() == 2 && isNumber(parts[0]) && isNumber(parts[1]);
           });
}

/// What is wrong with an attribute that places something on a chart; empty: nothing, or it is no such attribute.
std::string wrongGeometry(const std::string& key, const std::string& value)
{
    static const std::set<std::string> lengths = {"width", "height",       "x",        "y", "cx", "cy",
                                                  "r",     "stroke-width", "font-size"};
    constexpr std::size_t kAny = 1000;
    if (lengths.contains(key) && !isNumber(value))
        return "is not a number";
    if (key == "points" && !arePoints(value))
        return "is not a list of pairs of numbers";
    if (key == "viewBox" && !areNumbers(value, 4, 4))
        return "is not four numbers";
    if (key == "stroke-dasharray" && !areNumbers(value, 1, kAny))
        return "is not a list of numbers";
    if (key == "transform" && !(value.starts_with("rotate(") && value.ends_with(")") &&
                                areNumbers(std::string_view(value).substr(7, value.size() - 8), 3, 3)))
        return "is not rotate() with three numbers";
    return {};
}

class Reader {
public:
    Reader(std::string_view text, bool svg) : m_text(text), m_svg(svg) {}

    MarkupReport read()
    {
        head();
        while (m_at < m_text.size() && m_report.faults.size() < kMostFaults) {
            if (m_text[m_at] == '<')
                tag();
            else
                words();
        }
        for (const auto& [name, line] : m_open)
            fault(line, "<" + name + "> is not closed");
        if (!m_seenRoot)
            fault(1, m_svg ? "there is no <svg>" : "there is no <html>");
        return std::move(m_report);
    }

private:
    void fault(int line, const std::string& message)
    {
        if (m_report.faults.size() < kMostFaults)
            m_report.faults.push_back({line, message});
    }
    bool takes(std::string_view what)
    {
        if (m_text.substr(m_at, what.size()) != what)
            return false;
        move(what.size());
        return true;
    }
    void move(std::size_t bytes)
    {
        const std::size_t end = std::min(m_at + bytes, m_text.size());
        m_line += static_cast<int>(std::count(m_text.begin() + static_cast<std::ptrdiff_t>(m_at),
                                              m_text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
        m_at = end;
    }
    void blank()
    {
        while (m_at < m_text.size() && std::string_view(" \t\n").find(m_text[m_at]) != std::string_view::npos)
            move(1);
    }
    void head()
    {
        if (m_svg) {
            takes("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        } else if (!takes("<!DOCTYPE html>\n")) {
            fault(1, "the page does not begin with <!DOCTYPE html>");
        }
    }
    std::string name()
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && isNameByte(m_text[m_at]))
            ++m_at;
        return std::string(m_text.substr(begin, m_at - begin));
    }
    void words()
    {
        while (m_at < m_text.size() && m_text[m_at] != '<') {
            if (m_text[m_at] == '>')
                fault(m_line, "a '>' stands alone");
            if (m_text[m_at] == '&')
                entity();
            else
                move(1);
        }
    }
    std::string entity()
    {
        static const std::map<std::string, std::string> known = {
            {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}};
        for (const auto& [written, meant] : known)
            if (takes(written))
                return meant;
        fault(m_line, "an '&' that is none of the five entities of a portfolio");
        move(1);
        return "&";
    }
    void tag()
    {
        const int line = m_line;
        move(1);
        if (takes("/")) {
            const std::string closed = name();
            blank();
            if (!takes(">"))
                return broken(line, "</" + closed + " is not finished");
            if (m_open.empty() || m_open.back().first != closed)
                return broken(line, "</" + closed + "> closes what is not open");
            m_open.pop_back();
            return;
        }
        const std::string opened = name();
        if (!elements().contains(opened))
            return broken(line, m_text.substr(m_at, 1) == "!"
                                    ? "a comment or a declaration inside the page"
                                    : "the element <" + opened + "> has no place in a portfolio");
        if (m_open.empty()) {
            if (m_seenRoot || opened != (m_svg ? "svg" : "html"))
                fault(line, "<" + opened + "> stands outside of the document");
            m_seenRoot = true;
        }
        if (opened == "style" && !m_svg)
            fault(line, "a page's styles stand in portfolio.css, not in <style>");
        std::map<std::string, std::string> given;
        bool closed = false;
        for (;;) {
            blank();
            if (takes("/>")) {
                closed = true;
                break;
            }
            if (takes(">"))
                break;
            const int here = m_line;
            const std::string key = name();
            if (key.empty() || !takes("=\""))
                return broken(here, "an attribute of <" + opened + "> is not written name=\"value\"");
            if (given.contains(key))
                fault(here, key + " stands twice in <" + opened + ">");
            given[key] = value();
            attribute(here, opened, key, given[key]);
        }
        whole(line, opened, given);
        if (!closed && !isVoid(opened))
            m_open.push_back({opened, line});
        if (opened == "style" && !closed)
            style();
    }
    std::string value()
    {
        std::string out;
        while (m_at < m_text.size() && m_text[m_at] != '"') {
            if (m_text[m_at] == '<')
                fault(m_line, "a '<' stands in an attribute");
            if (m_text[m_at] == '&') {
                out += entity();
            } else {
                out += m_text[m_at];
                move(1);
            }
        }
        move(1);
        return out;
    }
    void style()
    {
        const std::size_t end = std::min(m_text.find("</style>", m_at), m_text.size());
        for (MarkupFault& problem : checkStylesheet(m_text.substr(m_at, end - m_at), m_line))
            fault(problem.line, problem.message);
        move(end - m_at);
    }
    void attribute(int line, const std::string& element, const std::string& key, const std::string& value)
    {
        if (lowered(key).starts_with("on"))
            return fault(line, "the event handler " + key + " in <" + element + ">");
        if (!attributes().contains(key) && !key.starts_with("aria-"))
            return fault(line, "the attribute " + key + " of <" + element + "> has no place in a portfolio");
        if (key == "id" && !m_report.ids.insert(value).second)
            fault(line, "the id " + value + " stands twice");
        if ((key == "fill" || key == "stroke") && value.find('(') != std::string::npos)
            fault(line, "a colour that fetches: " + value.substr(0, 60));
        if (const std::string wrong = wrongGeometry(key, value); !wrong.empty() && m_report.faults.size() < kMostFaults)
            m_report.faults.push_back(
                {line, key + " of <" + element + "> " + wrong + ": " + value.substr(0, 40), true});
        if (key == "href")
            address(line, element, value);
        if (key == "xmlns" && value != "http://www.w3.org/2000/svg")
            fault(line, "the namespace " + value);
    }
    void address(int line, const std::string& element, const std::string& target)
    {
        if (element != "a" && element != "link")
            return fault(line, "<" + element + "> fetches " + target);
        for (char c : target)
            if (static_cast<unsigned char>(c) <= 0x20)
                return fault(line, "an address with blanks or controls");
        if (target.starts_with("https://") || target.starts_with("http://")) {
            if (element != "a")
                fault(line, "<" + element + "> fetches from elsewhere: " + target);
            return;
        }
        // A colon before any slash is a scheme: javascript:, data:, file:.
        const std::size_t colon = target.find(':');
        if (colon != std::string::npos && colon < target.find('/'))
            return fault(line, "the address " + target.substr(0, 60));
        if (target.starts_with("/") || target.starts_with("\\"))
            return fault(line, "the address " + target.substr(0, 60) + " leads out of the portfolio");
        m_report.links.push_back({line, target});
    }
    void whole(int line, const std::string& element, const std::map<std::string, std::string>& given)
    {
        const auto has = [&given](const char* key, const char* value) {
            const auto found = given.find(key);
            return found != given.end() && found->second == value;
        };
        if (element == "link" && !has("rel", "stylesheet"))
            fault(line, "a <link> that is no stylesheet");
        if (element == "meta" && given.contains("http-equiv") && !has("http-equiv", "Content-Security-Policy"))
            fault(line, "a <meta http-equiv> that is no security policy");
    }
    void broken(int line, const std::string& message)
    {
        fault(line, message);
        // Go on behind the tag: one fault should not hide the next.
        const std::size_t end = m_text.find('>', m_at);
        move(end == std::string_view::npos ? m_text.size() - m_at : end + 1 - m_at);
    }

    std::string_view m_text;
    bool m_svg, m_seenRoot = false;
    std::size_t m_at = 0;
    int m_line = 1;
    std::vector<std::pair<std::string, int>> m_open;
    MarkupReport m_report;
};

} // namespace

std::vector<MarkupFault> checkStylesheet(std::string_view css, int firstLine)
{
    std::vector<MarkupFault> faults;
    const std::string text = lowered(std::string(css));
    const struct {
        const char* what;
        const char* why;
    } forbidden[] = {{"@import", "the stylesheet fetches another one"},
                     {"url(", "the stylesheet fetches something"},
                     {"src(", "the stylesheet fetches something"},
                     {"image(", "the stylesheet fetches something"},
                     {"image-set(", "the stylesheet fetches something"},
                     {"expression(", "the stylesheet runs something"},
                     {"behavior", "the stylesheet runs something"},
                     {"-moz-binding", "the stylesheet runs something"},
                     {"@font-face", "the stylesheet brings a font"},
                     {"\\", "an escape that could hide something"},
                     {"<", "mark-up in the stylesheet"}};
    for (const auto& rule : forbidden)
        for (std::size_t at = text.find(rule.what); at != std::string::npos && faults.size() < kMostFaults;
             at = text.find(rule.what, at + 1))
            faults.push_back({firstLine + static_cast<int>(std::count(
                                              text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')),
                              rule.why});
    return faults;
}

MarkupReport checkMarkup(std::string_view text, bool svg)
{
    return Reader(text, svg).read();
}

} // namespace ridge::folio
