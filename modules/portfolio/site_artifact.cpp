// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"
#include "portfolio/html_markup.h"
#include "portfolio/site.h"

#include <set>

namespace ridge::folio {
namespace {

const std::string kUp = "../../";

std::string section(const std::string& title, const std::string& content)
{
    return content.empty()
               ? std::string()
               : "<section class=\"card part\">\n<h2>" + escaped(title) + "</h2>\n" + content + "</section>\n";
}

std::string prose(const std::string& text)
{
    return text.empty() ? std::string() : "<div class=\"prose\">\n" + proseHtml(text) + "</div>\n";
}

std::string facts(const std::vector<std::pair<std::string, std::string>>& list)
{
    std::string out;
    for (const auto& [name, value] : list)
        out += "<dt>" + escaped(name) + "</dt><dd>" + escaped(value) + "</dd>\n";
    return out.empty() ? out : "<dl class=\"facts\">\n" + out + "</dl>\n";
}

std::string predictions(const ArtifactPart& part)
{
    if (part.predictions.empty())
        return part.runs.empty() ? std::string() : "<p>No prediction was committed before these runs.</p>\n";
    std::string out;
    for (std::size_t i = 0; i < part.predictions.size(); ++i)
        out += "<h3>" + escaped(part.predictions[i].figure.title) + "</h3>\n" + html::reveal(part.predictions[i]);
    return out;
}

std::string charts(const ArtifactPart& part)
{
    std::string out = part.heldCharts.empty() ? std::string() : "<p>" + escaped(part.heldCharts) + "</p>\n";
    for (const FigurePart& figure : part.figures)
        out += html::figure(figure, true);
    return out;
}

std::string imported(const ArtifactPart& part)
{
    if (part.imported.empty())
        return {};
    FigureTable table{{"Figure", "Value", part.graded ? "Found by" : "Read from"}, {}};
    for (const ImportedPart& figure : part.imported)
        table.rows.push_back({figure.name, figure.value, figure.source});
    return html::table(table, part.graded
                                  ? "Found by Ridgepoint when it graded the kernel, at sizes and on data that were "
                                    "drawn then; ratios are to its own solution."
                                  : "Read from files that were made elsewhere: recorded, not run here.");
}

/// What was run, from the rows themselves: it is there even where nobody described a method.
std::string method(const ArtifactPart& part)
{
    std::string out;
    if (const auto own = part.sections.find("method"); own != part.sections.end())
        out += prose(own->second);
    std::map<std::string, std::set<std::string>> targets;
    std::map<std::string, std::size_t> counts;
    std::set<std::string> verdicts;
    for (const record::RunRow& run : part.runs) {
        const std::string name = run.experiment + " (version " + std::to_string(run.version) + ")";
        targets[name].insert(run.target);
        ++counts[name];
        verdicts.insert(run.status == "failed" ? "failed" : run.validity);
    }
    std::vector<std::pair<std::string, std::string>> list;
    for (const auto& [name, count] : counts) {
        std::string where;
        for (const std::string& target : targets[name])
            where += (where.empty() ? "" : ", ") + target;
        list.push_back({name, std::to_string(count) + (count == 1 ? " run on " : " runs on ") + where});
    }
    std::string said;
    for (const std::string& verdict : verdicts)
        said += (said.empty() ? "" : ", ") + verdict;
    if (!said.empty())
        list.push_back({"Verdict of the runs", said});
    return out + facts(list);
}

std::string again(const ArtifactPart& part)
{
    if (part.commands.empty())
        return {};
    if (part.graded)
        return "<p>This line, in the folder of this portfolio, grades the kernel again, at sizes and on data that are "
               "drawn "
               "anew. A kernel that is right stays right; on a simulated chip counts and times hardly differ.</p>\n" +
               html::commands(part.commands);
    return "<p>These lines make the same runs again" +
           (part.app.empty() ? std::string() : "; the ones here were made by Ridgepoint " + escaped(part.app)) +
           ". A simulated request gives the same numbers on every machine. A measured one gives what your GPU "
           "does.</p>\n" +
           html::commands(part.commands);
}

std::string trust(const ArtifactPart& part)
{
    std::string out = "<p>" + (part.trust.level.empty() ? "" : "<strong>" + escaped(part.trust.level) + ".</strong> ") +
                      escaped(part.trust.meaning) + "</p>\n";
    if (!part.trust.why.empty() && part.trust.why != part.trust.meaning)
        out += "<p>" + escaped(part.trust.why) + "</p>\n";
    if (!part.reproductions.empty()) {
        out += "<ul>\n";
        for (const std::string& line : part.reproductions)
            out += "<li>" + escaped(line) + "</li>\n";
        out += "</ul>\n";
    }
    return out;
}

std::string files(const ArtifactPart& part)
{
    std::string out;
    const auto add = [&out](const std::string& name, const std::string& note) {
        out += "<li>" + html::link(kUp + name, name) + (note.empty() ? "" : ": " + escaped(note)) + "</li>\n";
    };
    if (!part.data.name.empty())
        add(part.data.name, "every run with its numbers");
    for (const FilePart& file : part.code)
        add(file.name, file.redacted ? "code, details left out" : "code");
    for (const FilePart& file : part.files)
        add(file.name, file.redacted ? "details left out" : "");
    for (const FigurePart& figure : part.figures)
        add("charts/" + part.slug + "-" + figure.name + ".svg", figure.figure.title);
    for (std::size_t i = 0; i < part.predictions.size(); ++i)
        add("charts/" + part.slug + "-prediction-" + std::to_string(i + 1) + ".svg", part.predictions[i].figure.title);
    return out.empty() ? out : "<ul class=\"files\">\n" + out + "</ul>\n";
}

std::string own(const ArtifactPart& part, const char* name)
{
    const auto found = part.sections.find(name);
    return found == part.sections.end() ? std::string() : prose(found->second);
}

std::string pager(const PortfolioDocument& document, std::size_t place)
{
    const auto to = [&](std::size_t other, const std::string& words) {
        return html::link("../" + document.artifacts[other].slug + "/index.html",
                          words + document.artifacts[other].name);
    };
    std::string out;
    out += "<span>" + (place > 0 ? to(place - 1, "← ") : std::string()) + "</span>\n";
    out += "<span>" + (place + 1 < document.artifacts.size() ? to(place + 1, "→ ") : std::string()) + "</span>\n";
    return "<nav class=\"pager\" aria-label=\"Artifacts\">\n" + out + "</nav>\n";
}

} // namespace

std::string artifactPage(const PortfolioDocument& document, std::size_t place)
{
    const ArtifactPart& part = document.artifacts[place];
    std::string eyebrow = part.lesson.empty() ? std::string() : "Lesson " + escaped(part.lesson);
    if (!part.lessonTitle.empty())
        eyebrow += (eyebrow.empty() ? "" : ", ") + escaped(part.lessonTitle);
    if (!part.time.empty())
        eyebrow += (eyebrow.empty() ? "" : " · ") + escaped(part.time.substr(0, 10));
    std::string body = "<nav class=\"site-head crumbs\" aria-label=\"Back\">\n" +
                       html::link(kUp + "index.html", "← " + document.title) + "\n</nav>\n";
    body += "<main id=\"main\">\n<article>\n<header class=\"card\">\n<p class=\"eyebrow\">" + eyebrow + "</p>\n<h1>" +
            html::title(part) + "</h1>\n<p class=\"claim\">" + escaped(plainText(part.claim)) + "</p>\n" +
            html::badges(part) + "</header>\n";
    body += section("Question", prose(part.question));
    body += section("Prediction and result", predictions(part));
    body += section(part.figures.size() == 1 ? "Chart" : "Charts", charts(part));
    body += section(part.graded ? "Grade" : "Figures from other tools", imported(part));
    body += section("Method", method(part));
    body += section("Result", own(part, "result"));
    body += section("Bottleneck", own(part, "bottleneck"));
    body += section("Where it fails", own(part, "failure_modes"));
    body += section("Machine", part.facts.empty()
                                   ? std::string()
                                   : "<p><strong>" + escaped(part.machine) + "</strong></p>\n" + facts(part.facts));
    body += section("Run it again", again(part));
    body += section("Trust", trust(part));
    body += section("Failures and decisions", html::journal(part.journal, 3));
    body += section("Notes in the margin", html::notes(part.notes));
    body += section("Reflection", prose(part.reflection));
    body += section("Next experiment", own(part, "next_experiment"));
    body += section("Files", files(part));
    body += "</article>\n" + pager(document, place) + "</main>\n<footer class=\"site-foot\">\n<p>" +
            html::link(kUp + "index.html", "Back to the first page") + "</p>\n</footer>\n";
    return html::page(document, part.name + " · " + document.title, kUp, body);
}

} // namespace ridge::folio
