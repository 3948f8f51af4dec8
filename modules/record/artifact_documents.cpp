// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/artifact_documents.h"

#include "base/csv.h"
#include "base/json.h"
#include "base/units.h"
#include "record/answer.h"
#include "record/rerun.h"

#include <algorithm>
#include <array>
#include <set>

namespace ridge::record {
namespace {

std::string exactNumber(double value)
{
    return Json(value).dump();
}

Json runsJson(const std::vector<RunRow>& runs)
{
    Json list = Json::array();
    for (const RunRow& r : runs)
        list.push_back(Json{{"id", r.id},
                            {"block", r.block},
                            {"experiment", r.experiment},
                            {"version", r.version},
                            {"target", r.target},
                            {"provenance", toText(r.provenance)},
                            {"seed", r.seed},
                            {"params", ridge::toJson(r.params)},
                            {"metrics", metricsToJson(r.metrics)},
                            {"limits", limitsToJson(r.limits)},
                            {"checks", checksToJson(r.checks)},
                            {"validity", r.validity},
                            {"fingerprint", *r.fingerprint},
                            {"created_at", r.createdAt},
                            {"seq", r.seq}});
    return list;
}

Json predictionsJson(const std::vector<PredictionRow>& predictions)
{
    Json list = Json::array();
    for (const PredictionRow& p : predictions)
        list.push_back(Json{{"id", p.id},
                            {"block", p.block},
                            {"experiment", p.experiment},
                            {"metric", p.metric},
                            {"unit", p.unit},
                            {"params", ridge::toJson(p.params)},
                            {"point", p.point},
                            {"low", p.low},
                            {"high", p.high},
                            {"created_at", p.createdAt},
                            {"seq", p.seq}});
    return list;
}

Json filesJson(const std::vector<ArtifactCode>& files)
{
    Json list = Json::array();
    for (const ArtifactCode& file : files)
        list.push_back(Json{{"name", file.name}, {"sha256", file.sha256}});
    return list;
}

/// What its author wrote beside the lesson, each note below the words it stands at.
std::string notesText(const std::vector<NoteRow>& notes)
{
    std::string text;
    for (const NoteRow& note : notes) {
        std::string quote;
        for (char c : note.quote) {
            quote += c;
            if (c == '\n')
                quote += "> ";
        }
        text += "> " + quote + "\n\n";
        if (!note.text.empty())
            text += note.text + "\n\n";
    }
    return text;
}

std::string predictionsText(const ArtifactContents& contents)
{
    std::string text;
    for (const PredictionRow& p : contents.predictions) {
        const std::string& held = contents.held.prediction;
        std::string result = held.empty() ? "not run" : held;
        if (const RunRow* run = held.empty() ? answerTo(p, contents.runs) : nullptr) {
            const MetricValue& value = run->metrics.at(p.metric);
            result = formatQuantity(value.value, value.unit) + " (" + std::string(toText(value.provenance)) + ")";
        }
        text += "* " + p.metric + " at " + ridge::toJson(p.params).dump() + ": predicted " +
                formatQuantity(p.point, p.unit) + ", 80 % interval " + formatQuantity(p.low, p.unit) + " to " +
                formatQuantity(p.high, p.unit) + "; result " + result + "\n";
    }
    return text;
}

std::string journalText(const std::vector<JournalRow>& journal, const char* kind)
{
    std::string text;
    for (const JournalRow& entry : journal)
        if (entry.kind == kind)
            text += "### " + entry.title + "\n\n" + entry.text + "\n\n";
    return text;
}

/// The figures that were read from a file, the first of many; figures.csv has them all.
std::string figuresText(const Json& figures)
{
    constexpr std::size_t kShown = 30;
    std::string text;
    for (std::size_t i = 0; i < std::min(figures.size(), kShown); ++i) {
        const Json& figure = figures[i];
        const std::string of = figure.value("of", std::string());
        text += "* " + (of.empty() ? std::string() : of + ": ") + figure.value("name", std::string()) + " " +
                formatQuantity(figure.value("value", 0.0), figure.value("unit", std::string())) + " (RECORDED)\n";
    }
    if (figures.size() > kShown)
        text += "\nfigures.csv has all " + std::to_string(figures.size()) + ".\n";
    return text;
}

/// Sections without anything in them are left out: an empty heading says nothing to a reader.
class Readme {
public:
    explicit Readme(const std::string& title) : m_text("# " + title + "\n") {}

    void paragraph(const std::string& words)
    {
        if (!words.empty())
            m_text += "\n" + words + "\n";
    }
    void section(const std::string& title, std::string words)
    {
        while (words.ends_with('\n'))
            words.pop_back();
        if (!words.empty())
            m_text += "\n## " + title + "\n\n" + words + "\n";
    }
    std::string take() { return std::move(m_text); }

private:
    std::string m_text;
};

} // namespace

std::string runsCsv(const std::vector<RunRow>& runs)
{
    std::set<std::string> params, metrics;
    for (const RunRow& run : runs) {
        for (const auto& [name, value] : run.params)
            params.insert(name);
        for (const auto& [name, value] : run.metrics)
            metrics.insert(name);
    }
    std::vector<std::string> cells{"run", "experiment", "version", "target", "seed", "validity"};
    cells.insert(cells.end(), params.begin(), params.end());
    for (const std::string& name : metrics)
        cells.insert(cells.end(), {name, name + " unit", name + " provenance"});
    std::string out = csvLine(cells);
    for (const RunRow& run : runs) {
        cells = {run.id,     run.experiment,           std::to_string(run.version),
                 run.target, std::to_string(run.seed), run.validity};
        for (const std::string& name : params) {
            const auto it = run.params.find(name);
            cells.push_back(it == run.params.end() ? std::string() : toText(it->second));
        }
        for (const std::string& name : metrics) {
            const auto it = run.metrics.find(name);
            const bool there = it != run.metrics.end();
            cells.push_back(there ? exactNumber(it->second.value) : std::string());
            cells.push_back(there ? it->second.unit : std::string());
            cells.push_back(there ? std::string(toText(it->second.provenance)) : std::string());
        }
        out += csvLine(cells);
    }
    return out;
}

std::string figuresCsv(const Json& figures)
{
    std::string out = csvLine({"of", "figure", "value", "unit", "provenance", "source", "line"});
    for (const Json& figure : figures)
        out += csvLine({csvText(figure.value("of", std::string())), csvText(figure.value("name", std::string())),
                        exactNumber(figure.value("value", 0.0)), figure.value("unit", std::string()),
                        std::string(toText(Provenance::Recorded)), csvText(figure.value("source", std::string())),
                        figure.contains("line") ? figure["line"].dump() : std::string()});
    return out;
}

Json artifactJson(const ArtifactContents& contents)
{
    const ArtifactRow& artifact = contents.artifact;
    Json notes = Json::array(), journal = Json::array();
    for (const NoteRow& note : contents.notes)
        notes.push_back(Json{{"id", note.noteId},
                             {"section", note.section},
                             {"block", note.block},
                             {"quote", note.quote},
                             {"text", note.text},
                             {"created_at", note.createdAt}});
    for (const JournalRow& entry : contents.journal)
        journal.push_back(Json{{"id", entry.entryId},
                               {"kind", entry.kind},
                               {"title", entry.title},
                               {"text", entry.text},
                               {"runs", entry.runIds},
                               {"created_at", entry.createdAt}});
    Json held = Json::object();
    for (const auto& [what, why] : {std::pair("result", &contents.held.result),
                                    {"prediction", &contents.held.prediction},
                                    {"artifact", &contents.held.artifact}})
        if (!why->empty())
            held[what] = *why;
    return Json{{"format", "ridgepoint-artifact/1"},
                {"id", artifact.artifactId},
                {"version", artifact.id},
                {"lesson", artifact.lesson},
                {"kind", artifact.kind},
                {"level", artifact.level},
                {"title", artifact.title},
                {"question", artifact.question},
                {"claim", artifact.claim},
                {"reflection", artifact.reflection},
                {"sections", artifact.sections},
                {"trust", contents.held.artifact.empty() ? Json(artifact.trust) : Json()},
                {"provenance", toText(artifact.provenance)},
                {"created_at", artifact.createdAt},
                {"fingerprint", *artifact.fingerprint},
                {"charts", *artifact.charts},
                {"figures", artifact.figures->is_array() ? *artifact.figures : Json::array()},
                {"code", filesJson(artifact.code)},
                {"files", filesJson(artifact.files)},
                {"predictions", predictionsJson(contents.predictions)},
                {"runs", runsJson(contents.runs)},
                {"journal", journal},
                {"notes", notes},
                {"held", held}};
}

std::string readmeText(const ArtifactContents& contents, const ExportExtras& extras)
{
    const ArtifactRow& artifact = contents.artifact;
    static const std::array<std::pair<const char*, const char*>, 4> middle = {
        {{"method", "Method"}, {"result", "Result"}, {"bottleneck", "Bottleneck"}, {"failure_modes", "Failure modes"}}};
    Readme readme(artifact.title);
    readme.paragraph(artifact.claim);
    readme.paragraph(artifact.question.empty() ? std::string() : "Question: " + artifact.question);
    readme.section("Prediction and result", contents.predictions.empty()
                                                ? "No prediction was committed before these runs."
                                                : predictionsText(contents));
    readme.paragraph(contents.held.result);
    for (const ExtraFile& file : extras.files)
        if (file.name.ends_with(".png"))
            readme.paragraph("![Chart of the stored runs](" + file.name + ")");
    for (const std::string& note : extras.notes)
        readme.paragraph(note);
    for (const auto& [key, title] : middle)
        if (const auto section = artifact.sections.find(key); section != artifact.sections.end())
            readme.section(title, section->second);
    if (artifact.figures->is_array())
        readme.section("Figures read from a file", figuresText(*artifact.figures));
    readme.section("Failures", journalText(contents.journal, "failure"));
    readme.section("Decisions", journalText(contents.journal, "decision"));
    readme.section("Reflection", artifact.reflection.empty() ? "None was written." : artifact.reflection);
    if (const auto next = artifact.sections.find("next_experiment"); next != artifact.sections.end())
        readme.section("Next experiment", next->second);
    readme.section("Notes in the margin", notesText(contents.notes));
    readme.section("Machine", "```json\n" + artifact.fingerprint->dump(2) + "\n```");
    std::string repeat;
    for (const std::string& line : rerunCommands(contents.runs))
        repeat += line + "\n";
    readme.section("Repeat it", "```sh\n" + repeat + "sha256sum -c SHA256SUMS\n```");
    readme.paragraph(
        "runs.csv has every number with unit and provenance; artifact.json has everything; code/ the kernels "
        "that ran" +
        std::string(artifact.files.empty() ? "." : "; files/ what was read or belongs to it."));
    readme.paragraph(
        (contents.held.artifact.empty() ? "Trust level: " + artifact.trust + "." : "Trust: " + contents.held.artifact) +
        " Shipped " + artifact.createdAt + " by Ridgepoint.");
    return readme.take();
}

} // namespace ridge::record
