// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/html_markup.h"
#include "portfolio/site.h"

#include <algorithm>

namespace ridge::folio::html {
namespace {

/// Beside the words of a first page; the artifact's own page has it wide and with its table.
constexpr double kNarrow = 560;

std::string lowered(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
}

bool isNumber(const std::string& cell)
{
    return !cell.empty() && (std::isdigit(static_cast<unsigned char>(cell[0])) ||
                             ((cell[0] == '-' || cell[0] == '.') && cell.size() > 1));
}

} // namespace

std::string link(const std::string& target, const std::string& words)
{
    return "<a href=\"" + escaped(target) + "\">" + escaped(words) + "</a>";
}

std::string title(const ArtifactPart& part)
{
    return escaped(part.name) +
           (part.origin.empty() ? std::string() : " <span class=\"origin\">" + escaped(part.origin) + "</span>");
}

std::string titleLink(const std::string& target, const ArtifactPart& part)
{
    return "<a href=\"" + escaped(target) + "\">" + title(part) + "</a>";
}

std::string page(const PortfolioDocument& document, const std::string& title, const std::string& up,
                 const std::string& body)
{
    const std::string author = document.author.empty()
                                   ? std::string()
                                   : "<meta name=\"author\" content=\"" + escaped(document.author) + "\">\n";
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" + escaped(title) +
           "</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=\"color-scheme\" content=\"light dark\">\n"
           "<meta name=\"generator\" content=\"Ridgepoint\">\n" +
           author +
           "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'none'; object-src 'none'; "
           "frame-src 'none'; connect-src 'none'; form-action 'none'; base-uri 'none'\">\n"
           "<link rel=\"stylesheet\" href=\"" +
           up + "portfolio.css\">\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n" + body +
           "</body>\n</html>\n";
}

std::string signature()
{
    return "<svg class=\"signature chart\" viewBox=\"0 0 52 20\" width=\"52\" height=\"20\" aria-hidden=\"true\">"
           "<polyline class=\"i-text line\" stroke-width=\"1.75\" points=\"10,10 42,10\"/>"
           "<polygon class=\"i-text open\" stroke-width=\"1.75\" points=\"10,2.5 17.5,10 10,17.5 2.5,10\"/>"
           "<circle class=\"i-result full\" stroke-width=\"1.75\" cx=\"42\" cy=\"10\" r=\"6\"/></svg>\n";
}

std::string badge(Provenance provenance)
{
    const std::string word = lowered(toText(provenance));
    return "<span class=\"badge " + word + "\"><span class=\"dot\"></span>" + word + "</span>";
}

std::string badges(const ArtifactPart& part)
{
    std::string out = "<p class=\"badges\">" + badge(part.provenance);
    if (!part.trust.level.empty())
        out += " <span class=\"badge\">trust " + escaped(part.trust.level) + "</span>";
    if (!part.kind.empty())
        out += " <span class=\"badge\">" + escaped(part.kind) + "</span>";
    return out + " <span class=\"badge\">level " + std::to_string(part.level) + "</span></p>\n";
}

std::string commands(const std::vector<std::string>& lines)
{
    std::string out = "<pre tabindex=\"0\"><code>";
    for (std::size_t i = 0; i < lines.size(); ++i)
        out += (i ? "\n" : "") + escaped(lines[i]);
    return out + "</code></pre>\n";
}

std::string scroller(const std::string& className, const std::string& name)
{
    return "<div class=\"" + className + "\" tabindex=\"0\" role=\"group\" aria-label=\"" + escaped(name) + "\">";
}

std::string table(const FigureTable& table, const std::string& caption)
{
    std::string out = scroller("wide", caption) + "<table>\n<caption>" + escaped(caption) + "</caption>\n<thead><tr>";
    std::vector<bool> numeric(table.head.size(), !table.rows.empty());
    for (const auto& row : table.rows)
        for (std::size_t i = 0; i < row.size() && i < numeric.size(); ++i)
            numeric[i] = numeric[i] && (isNumber(row[i]) || row[i] == "–");
    for (std::size_t i = 0; i < table.head.size(); ++i)
        out += std::string("<th scope=\"col\"") + (numeric[i] ? " class=\"number\">" : ">") + escaped(table.head[i]) +
               "</th>";
    out += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
        out += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i)
            out += std::string("<td") + (i < numeric.size() && numeric[i] ? " class=\"number\">" : ">") +
                   escaped(row[i]) + "</td>";
        out += "</tr>\n";
    }
    return out + "</tbody>\n</table></div>\n";
}

std::string figure(const FigurePart& part, bool withTable)
{
    std::string out = "<figure>\n" + scroller("scroll", "Chart") + "\n" +
                      toSvg(draw(part.figure, withTable ? 720 : kNarrow)) + "</div>\n<figcaption>";
    if (!part.figure.caption.empty())
        out += escaped(plainText(part.figure.caption)) + " ";
    out += "<span class=\"muted\">" + escaped(part.figure.origin) + "</span></figcaption>\n</figure>\n";
    if (!withTable)
        return out;
    return "<div class=\"charted\">\n" + out + "<details><summary>Numbers of this chart</summary>\n" +
           table(tableOf(part.figure), part.figure.title) + "</details>\n</div>\n";
}

std::string reveal(const PredictionPart& part, double width)
{
    std::string out = "<figure>\n" + scroller("scroll", "Chart") + "\n" + toSvg(draw(part.figure, width)) +
                      "</div>\n<figcaption>" + escaped(sentenceOf(part.figure));
    if (!part.reason.empty())
        out += " The prediction had assumed: " + escaped(plainText(part.reason));
    return out + "</figcaption>\n</figure>\n";
}

std::string journal(const std::vector<JournalPart>& entries, int level)
{
    const std::string head = "h" + std::to_string(level);
    std::string out;
    for (const JournalPart& entry : entries)
        out += "<article class=\"entry " + std::string(entry.kind == "failure" ? "failure" : "decision") +
               "\">\n<p class=\"eyebrow\">" + escaped(entry.kind) + (entry.time.empty() ? "" : " · ") +
               escaped(entry.time) + "</p>\n<" + head + ">" + escaped(entry.title) + "</" + head + ">\n" +
               proseHtml(entry.text) + "</article>\n";
    return out;
}

std::string notes(const std::vector<NotePart>& notes)
{
    std::string out;
    for (const NotePart& note : notes) {
        out += "<article class=\"entry\">\n<p class=\"eyebrow\">" + escaped(note.section) +
               (note.section.empty() || note.time.empty() ? "" : " · ") + escaped(note.time) + "</p>\n";
        if (!note.quote.empty())
            out += "<p class=\"quote\">“" + escaped(note.quote) + "”</p>\n";
        out += (note.text.empty() ? std::string() : proseHtml(note.text)) + "</article>\n";
    }
    return out;
}

} // namespace ridge::folio::html
