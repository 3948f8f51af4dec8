// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/site.h"

#include "base/units.h"
#include "portfolio/html_markup.h"

namespace ridge::folio {
namespace {

/// Artifacts that stand with their chart on the first page of an application; the others in a table below.
constexpr std::size_t kLeads = 3;

std::string pathOf(const ArtifactPart& part)
{
    return "artifacts/" + part.slug + "/index.html";
}

std::string fact(const std::string& name, const std::string& value)
{
    return "<dt>" + name + "</dt><dd>" + value + "</dd>\n";
}

std::string head(const PortfolioDocument& document)
{
    std::string who;
    const auto add = [&who](const std::string& text) {
        if (!text.empty())
            who += (who.empty() ? "" : " · ") + escaped(text);
    };
    add(document.author);
    add(document.contact);
    add(document.course);
    add(document.made);
    return "<header class=\"site-head\">\n<div class=\"line\">\n" + html::signature() + "<h1>" +
           escaped(document.title) + "</h1>\n</div>\n" + "<p class=\"who\">" + who + "</p>\n" +
           (document.intro.empty() ? "" : "<div class=\"intro\">\n" + proseHtml(document.intro) + "</div>\n") +
           "</header>\n";
}

/// Claim, chart, machine and how to run it again: what somebody asks in the first ten seconds.
std::string lead(const ArtifactPart& part)
{
    const std::string id = "a-" + part.slug;
    std::string out = "<article class=\"card lead\" aria-labelledby=\"" + id + "\">\n<div class=\"body\">\n<div>\n";
    out += "<p class=\"eyebrow\">" + escaped(part.lessonTitle.empty() ? part.kind : part.lessonTitle) +
           "</p>\n<h2 id=\"" + id + "\">" + html::titleLink(pathOf(part), part) + "</h2>\n<p class=\"claim\">" +
           escaped(plainText(part.claim)) + "</p>\n";
    if (!part.predictions.empty()) {
        const PredictionPart& first = part.predictions.front();
        out += "<p class=\"outcome\"><strong>" + escaped(first.figure.title) + ".</strong> " +
               escaped(sentenceOf(first.figure)) + "</p>\n";
    }
    out += html::badges(part) + "</div>\n<div>\n";
    if (!part.figures.empty())
        out += html::figure(part.figures.front(), false);
    else if (!part.predictions.empty())
        out += html::reveal(part.predictions.front(), 560);
    out += "</div>\n</div>\n<dl class=\"strip\">\n" + fact("Machine", escaped(part.machine));
    if (!part.commands.empty())
        out += fact("Run it again", html::commands({part.commands.front()}));
    out += fact("More", html::link(pathOf(part), "Method, data, code and every run of " + part.name));
    return out + "</dl>\n</article>\n";
}

std::string summaryTable(const std::vector<ArtifactPart>& parts, const ModuleParts& shown)
{
    std::string out = html::scroller("wide", shown.title.empty() ? "Artifacts" : shown.title) +
                      "<table>\n<caption>Predictions were committed before the runs they are about."
                      "</caption>\n<thead><tr><th scope=\"col\">Artifact</th><th scope=\"col\">Lesson</th>"
                      "<th scope=\"col\">First prediction</th><th scope=\"col\" class=\"number\">Predicted</th>"
                      "<th scope=\"col\" class=\"number\">Result</th><th scope=\"col\" class=\"number\">Factor</th>"
                      "<th scope=\"col\">Numbers</th><th scope=\"col\">Trust</th></tr></thead>\n<tbody>\n";
    for (const std::size_t i : shown.parts) {
        const ArtifactPart& part = parts[i];
        const auto cell = [](const std::string& text) { return "<td class=\"number\">" + escaped(text) + "</td>"; };
        out += "<tr><th scope=\"row\">" + html::titleLink(pathOf(part), part) + "</th><td>" + escaped(part.lesson) +
               "</td>";
        if (part.predictions.empty()) {
            out += "<td>none</td><td class=\"number\">–</td><td class=\"number\">–</td><td class=\"number\">–</td>";
        } else {
            const PredictionPart& first = part.predictions.front();
            const auto factor = factorOf(first.figure);
            out += "<td>" + escaped(first.figure.title) + "</td>" +
                   cell(formatQuantity(first.figure.point, first.figure.unit)) +
                   cell(first.figure.result         ? formatQuantity(*first.figure.result, first.figure.unit)
                        : first.figure.held.empty() ? "not run"
                                                    : "later") +
                   cell(factor ? formatNumber(*factor) + "×" : "–");
        }
        out += "<td>" + html::badge(part.provenance) + "</td><td>" +
               (part.trust.level.empty() ? "later" : escaped(part.trust.level)) + "</td></tr>\n";
    }
    return out + "</tbody>\n</table></div>\n";
}

std::string summary(const std::vector<ArtifactPart>& parts, std::size_t from)
{
    std::string out;
    for (const ModuleParts& module : byModule(parts, from))
        out += (module.title.empty() ? "" : "<h3>" + escaped(module.title) + "</h3>\n") + summaryTable(parts, module);
    return out;
}

std::string checking(const PortfolioDocument& document, bool pdf)
{
    std::string privacy;
    for (const DetailText& text : detailTexts())
        if (!document.shown.contains(text.detail))
            privacy += (privacy.empty() ? "" : ", ") + std::string(text.title);
    std::string out =
        "<section class=\"columns\">\n<div class=\"card part\">\n<h2>Check it</h2>\n"
        "<p>Every number comes from a stored run. Each page gives the line that makes its runs again. "
        "The first line below needs no Ridgepoint.</p>\n" +
        html::commands({"sha256sum -c SHA256SUMS", "ridge verify ."}) +
        "</div>\n<div class=\"card part\">\n<h2>What is in it</h2>\n<ul class=\"files\">\n" +
        (pdf ? "<li>" + html::link("portfolio.pdf", "portfolio.pdf") + ": the same on paper</li>\n" : std::string()) +
        "<li>" + html::link("manifest.json", "manifest.json") + ": every artifact and file, for programs</li>\n<li>" +
        html::link("rows.jsonl", "rows.jsonl") + ": " + std::to_string(document.rowCount) +
        (document.rowCount == 1 ? " row" : " rows") + " of the record" +
        (document.redactedRows > 0 ? ", with details left out" : "") + "</li>\n<li>" +
        html::link("SHA256SUMS", "SHA256SUMS") + ": what each file must be</li>\n</ul>\n";
    if (!privacy.empty())
        out += "<p class=\"small muted\">Left out on purpose: " + escaped(privacy) + ".</p>\n";
    return out + "</div>\n</section>\n";
}

std::string foot()
{
    return "<footer class=\"site-foot\">\n<p>Made by Ridgepoint. A hollow diamond is a prediction that was committed "
           "before "
           "its run; the dot is the result: filled when it was measured, open when it was simulated, dotted when it is "
           "modelled.</p>\n"
           "</footer>\n";
}

std::string jobBody(const PortfolioDocument& document)
{
    std::string out;
    for (std::size_t i = 0; i < document.artifacts.size() && i < kLeads; ++i)
        out += lead(document.artifacts[i]);
    if (document.artifacts.size() > kLeads)
        out += "<section class=\"card part\">\n<h2>More artifacts</h2>\n" + summary(document.artifacts, kLeads) +
               "</section>\n";
    return out;
}

std::string handInBody(const PortfolioDocument& document)
{
    std::string out = "<section class=\"card part\">\n<h2>What was handed in</h2>\n" + summary(document.artifacts, 0) +
                      "</section>\n";
    for (const ArtifactPart& part : document.artifacts)
        out += lead(part);
    return out;
}

std::string notebookBody(const PortfolioDocument& document)
{
    std::string out;
    std::string time;
    bool open = false;
    for (const ArtifactPart& part : document.artifacts) {
        if (part.time.substr(0, 10) != time || !open) {
            time = part.time.substr(0, 10);
            if (open)
                out += "</section>\n";
            out += "<section class=\"card part\">\n<h2>" + escaped(time) + "</h2>\n";
            open = true;
        }
        out += "<h3>" + html::titleLink(pathOf(part), part) + "</h3>\n<p>" + escaped(plainText(part.claim)) + "</p>\n" +
               html::badges(part);
        if (!part.predictions.empty())
            out += html::reveal(part.predictions.front());
        else if (!part.figures.empty())
            out += html::figure(part.figures.front(), false);
        if (!part.reflection.empty())
            out += "<div class=\"prose\">\n" + proseHtml(part.reflection) + "</div>\n";
        out += html::journal(part.journal, 4);
    }
    if (open)
        out += "</section>\n";
    if (!document.journal.empty())
        out += "<section class=\"card part\">\n<h2>Failures and decisions beside the artifacts</h2>\n" +
               html::journal(document.journal, 3) + "</section>\n";
    return out;
}

} // namespace

std::vector<OutFile> siteFiles(const PortfolioDocument& document, const Style& style, bool pdf)
{
    const std::string body = document.style == Template::Job      ? jobBody(document)
                             : document.style == Template::HandIn ? handInBody(document)
                                                                  : notebookBody(document);
    std::vector<OutFile> files = {{"index.html", html::page(document, document.title, "",
                                                            head(document) + "<main id=\"main\">\n" + body +
                                                                checking(document, pdf) + "</main>\n" + foot())},
                                  {"portfolio.css", style.page}};
    for (std::size_t i = 0; i < document.artifacts.size(); ++i) {
        const ArtifactPart& part = document.artifacts[i];
        files.push_back({pathOf(part), artifactPage(document, i)});
        for (const FigurePart& figure : part.figures)
            files.push_back(
                {"charts/" + part.slug + "-" + figure.name + ".svg", toSvgFile(draw(figure.figure), style)});
        for (std::size_t n = 0; n < part.predictions.size(); ++n)
            files.push_back({"charts/" + part.slug + "-prediction-" + std::to_string(n + 1) + ".svg",
                             toSvgFile(draw(part.predictions[n].figure), style)});
    }
    return files;
}

} // namespace ridge::folio
