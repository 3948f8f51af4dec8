// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/portfolio_document.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/units.h"
#include "portfolio/html_markup.h"
#include "portfolio/portfolio_source.h"
#include "portfolio/row_redaction.h"
#include "record/answer.h"
#include "record/clock.h"
#include "record/graded_kernel.h"
#include "record/rerun.h"

#include <algorithm>
#include <tuple>

namespace ridge::folio {
namespace {

using record::RunRow;

const ExperimentInfo* experimentOf(const PortfolioMaker& maker, const std::string& id)
{
    for (const ExperimentInfo& info : maker.experiments)
        if (info.id == id)
            return &info;
    return nullptr;
}

Result<std::string> reasonText(PortfolioMaker& record, const std::string& predictionId)
{
    const auto reason = record.source.reason(predictionId);
    if (!reason)
        return reason.error();
    if (!*reason)
        return std::string();
    record.reasonIds.push_back((*reason)->id);
    return record.redactor.text((*reason)->text);
}

Result<void> addPredictions(PortfolioMaker& record, const record::ArtifactRow& row, const std::vector<RunRow>& runs,
                            const std::string& held, ArtifactPart& part)
{
    std::vector<const record::PredictionRow*> rows;
    for (const std::string& id : row.predictionIds)
        if (const auto found = record.source.predictions.find(id); found != record.source.predictions.end())
            rows.push_back(&found->second);
    // In the order in which they were committed: the first is the one that the first chart is about.
    const auto place = [&record](const auto* row) { return record.source.place(row->id, row->origin, row->seq); };
    std::ranges::stable_sort(rows, {}, place);
    for (const record::PredictionRow* one : rows) {
        const record::PredictionRow& prediction = *one;
        const ExperimentInfo* info = experimentOf(record, prediction.experiment);
        const MetricSpec* metric = info ? info->metric(prediction.metric) : nullptr;
        PredictionPart item;
        item.metric = metric ? metric->title : prediction.metric;
        item.setting = settingText(prediction.params, info);
        item.figure = {item.metric + (item.setting.empty() ? "" : " at " + item.setting),
                       prediction.point,
                       prediction.low,
                       prediction.high,
                       prediction.unit,
                       {},
                       row.provenance,
                       held};
        if (const RunRow* run = held.empty() ? record::answerTo(prediction, runs) : nullptr) {
            item.figure.result = run->metrics.at(prediction.metric).value;
            item.figure.provenance = run->metrics.at(prediction.metric).provenance;
        }
        auto reason = reasonText(record, prediction.id);
        if (!reason)
            return reason.error();
        item.reason = std::move(*reason);
        item.time = record.redactor.time(prediction.createdAt);
        part.predictions.push_back(std::move(item));
    }
    return {};
}

void addFigures(PortfolioMaker& record, const record::ArtifactRow& row, const std::vector<RunRow>& runs,
                const std::string& held, ArtifactPart& part)
{
    std::vector<record::PredictionRow> predictions;
    for (const std::string& id : row.predictionIds)
        if (const auto found = record.source.predictions.find(id); found != record.source.predictions.end())
            predictions.push_back(found->second);
    if (row.charts->is_array() && !row.charts->empty())
        part.heldCharts = held;
    if (row.charts->is_array() && held.empty())
        for (const Json& entry : *row.charts) {
            if (!entry.is_object())
                continue;
            const auto textAt = [&entry](const char* key) {
                const auto found = entry.find(key);
                return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
            };
            const ExperimentInfo* info = experimentOf(record, textAt("experiment"));
            if (!info)
                continue;
            // A chart of one block shows that block's runs, where it has any.
            std::vector<RunRow> own;
            const std::string block = textAt("block");
            for (const RunRow& run : runs)
                if (!block.empty() && run.block == block)
                    own.push_back(run);
            auto figure = sweepOf(own.empty() ? runs : own, predictions, *info, textAt("chart"));
            if (!figure)
                continue;
            figure->caption = record.redactor.text(textAt("caption"));
            part.figures.push_back({std::move(*figure), std::to_string(part.figures.size() + 1)});
        }
    if (row.figures->is_array())
        for (const Json& entry : *row.figures) {
            if (!entry.is_object() || !entry.value("value", Json()).is_number())
                continue;
            const auto textAt = [&entry](const char* key) {
                const Json value = entry.value(key, Json());
                return value.is_string() ? value.get<std::string>() : value.is_null() ? std::string() : value.dump();
            };
            const std::string line = textAt("line");
            part.imported.push_back({record.redactor.text(textAt("name")),
                                     formatQuantity(entry["value"].get<double>(), textAt("unit")),
                                     record.redactor.text(textAt("source")) + (line.empty() ? "" : ", line " + line)});
        }
}

/// A name for a file below a folder of the portfolio: letters, digits, dots, dashes and underscores; never a dot first.
std::string fileName(const std::string& given)
{
    std::string out;
    for (char c : given.substr(0, 120)) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
        if (c == '/' || c == '\\')
            out += out.empty() || out.back() == '/' ? "" : "/";
        else if (plain && !(c == '.' && (out.empty() || out.back() == '/' || out.back() == '.')))
            out += c;
        else if (out.empty() || out.back() != '_')
            out += '_';
    }
    while (!out.empty() && out.back() == '/')
        out.pop_back();
    if (out.empty())
        return "file";
    // A browser that opens the folder must not take a learner's file for a page.
    const std::string ending = QString::fromStdString(out).section(QLatin1Char('.'), -1).toLower().toStdString();
    static const std::set<std::string> pages = {"html", "htm", "xhtml", "xht",   "shtml", "svg",
                                                "svgz", "xml", "mht",   "mhtml", "css"};
    return pages.contains(ending) ? out + ".txt" : out;
}

bool looksLikeText(const std::string& bytes)
{
    return bytes.find('\0') == std::string::npos;
}

Result<void> addFiles(PortfolioMaker& record, const std::vector<record::ArtifactCode>& list, const std::string& folder,
                      std::vector<FilePart>& parts)
{
    for (const record::ArtifactCode& file : list) {
        auto bytes = record.source.file(file.sha256);
        if (!bytes)
            return bytes.error();
        FilePart part;
        part.title = record.redactor.text(file.name);
        part.name = folder + fileName(part.title);
        for (int n = 2; std::any_of(parts.begin(), parts.end(), [&](const FilePart& p) { return p.name == part.name; });
             ++n)
            part.name = folder + std::to_string(n) + "-" + fileName(part.title);
        if (looksLikeText(*bytes)) {
            const std::size_t before = record.redactor.taken();
            part.bytes = record.redactor.text(*bytes);
            part.redacted = record.redactor.taken() != before;
            if (part.redacted)
                record.changedFiles[file.sha256] = sha256Hex(part.bytes);
        } else {
            part.bytes = std::move(*bytes);
        }
        parts.push_back(std::move(part));
    }
    return {};
}

RunRow withoutDetails(Redactor& redactor, RunRow run)
{
    run.id = redactor.id("run", run.id);
    run.sweepId = redactor.id("sweep", run.sweepId);
    run.predictionId = redactor.id("prediction", run.predictionId);
    run.origin = redactor.origin(run.origin);
    run.createdAt = redactor.time(run.createdAt);
    run.target = redactor.text(run.target);
    run.fingerprint = redactor.json(*run.fingerprint);
    if (run.error)
        run.error = Error{run.error->code, redactor.text(run.error->message), redactor.text(run.error->place),
                          redactor.text(run.error->fix)};
    return run;
}

std::string reproductionText(Redactor& redactor, const record::ReproductionRow& row)
{
    return std::string(row.by == "other" ? "Repeated by somebody else" : "Repeated by the author") + " on " +
           redactor.text(row.target) + ", " + redactor.time(row.createdAt) + ": " + row.verdict + ".";
}

/// Margin notes of a lesson. Where they do not go along, the preview still learns what there is.
Result<std::vector<NotePart>> notesOf(PortfolioMaker& record, const std::string& lesson)
{
    std::vector<NotePart> parts;
    if (lesson.empty() || !record.notedLessons.insert(lesson).second)
        return parts;
    const auto notes = record.source.notes(lesson);
    if (!notes)
        return notes.error();
    Redactor& redactor = record.redactor;
    for (const record::NoteRow& note : *notes) {
        redactor.note(Detail::Notes, note.text.empty() ? note.quote : note.text);
        if (redactor.shows(Detail::Notes))
            parts.push_back({redactor.text(note.section), redactor.text(note.quote), redactor.text(note.text),
                             redactor.time(note.createdAt)});
    }
    return parts;
}

/// "Roofline report (sim:h100-sxm, SIMULATED)" as its name and where its numbers come from. A bracket that ends with no
/// provenance belongs to the name.
std::pair<std::string, std::string> titleParts(const std::string& title)
{
    const auto open = title.rfind(" (");
    if (open == std::string::npos || open == 0 || !title.ends_with(')'))
        return {title, {}};
    const std::string origin = title.substr(open + 2, title.size() - open - 3);
    const auto comma = origin.rfind(", ");
    if (!provenanceFromText(comma == std::string::npos ? origin : origin.substr(comma + 2)))
        return {title, {}};
    return {title.substr(0, open), origin};
}

} // namespace

Result<ArtifactPart> artifactPartOf(PortfolioMaker& record, record::ArtifactRow row)
{
    std::vector<RunRow> runs;
    if (!row.runIds.empty()) {
        auto found = record.source.runs(row.runIds);
        if (!found)
            return found.error();
        runs = std::move(*found);
        std::ranges::stable_sort(
            runs, {}, [&record](const RunRow& run) { return record.source.place(run.id, run.origin, run.seq); });
    }
    const auto trust = record.source.trust(row);
    if (!trust)
        return trust.error();
    std::vector<record::ReproductionRow> none; // their verdicts are told, then and now are not
    const record::HeldParts held = record::withhold(record.held, row, runs, none);
    Redactor& redactor = record.redactor;
    ArtifactPart part;
    part.id = redactor.id("artifact", row.artifactId);
    part.lesson = row.lesson;
    part.lessonTitle = record.lessonTitle ? record.lessonTitle(row.lesson) : std::string();
    part.kind = redactor.text(row.kind);
    part.title = redactor.text(row.title);
    std::tie(part.name, part.origin) = titleParts(part.title);
    part.slug = slugOf(part.name);
    for (int n = 2; !record.slugs.insert(part.slug).second; ++n)
        part.slug = slugOf(part.name) + "-" + std::to_string(n);
    part.question = redactor.text(row.question);
    part.claim = redactor.text(row.claim);
    part.reflection = redactor.text(row.reflection);
    part.time = redactor.time(row.createdAt);
    part.level = row.level;
    part.provenance = row.provenance;
    for (const auto& [name, text] : row.sections)
        if (!text.empty())
            part.sections[name] = redactor.text(text);

    if (auto done = addPredictions(record, row, runs, held.prediction, part); !done)
        return done.error();
    for (RunRow& run : runs)
        for (auto& [name, value] : run.params)
            if (auto* words = std::get_if<std::string>(&value))
                *words = redactor.setting(*words);
    addFigures(record, row, runs, held.result, part);
    const Json fingerprint = redactor.json(*row.fingerprint);
    part.machine = machineLine(fingerprint);
    part.facts = machineFacts(fingerprint);
    if (fingerprint.is_object() && fingerprint.value("app", Json()).is_string())
        part.app = fingerprint["app"].get<std::string>();
    for (RunRow& run : runs) {
        part.failedRuns += run.status == "failed" ? 1 : 0;
        part.runs.push_back(withoutDetails(redactor, std::move(run)));
    }
    part.commands = record::rerunCommands(part.runs); // what is left of the runs, so the rows say the same
    part.held = held.any();
    part.trust = held.artifact.empty() ? TrustPart{trust->level, trustMeaning(trust->level), redactor.text(trust->why)}
                                       : TrustPart{{}, held.artifact, {}};
    const auto repeated = record.source.reproductions.find(row.artifactId);
    if (repeated != record.source.reproductions.end())
        for (const record::ReproductionRow& reproduction : repeated->second)
            part.reproductions.push_back(reproductionText(redactor, reproduction));
    for (const std::string& id : row.journalIds)
        if (const auto entry = record.source.journal.find(id); entry != record.source.journal.end())
            part.journal.push_back(journalPartOf(redactor, entry->second));
    auto notes = notesOf(record, row.lesson);
    if (!notes)
        return notes.error();
    part.notes = std::move(*notes);
    if (auto done = addFiles(record, row.code, "code/" + part.slug + "/", part.code); !done)
        return done.error();
    part.graded = record::isGradedKernel(row);
    if (part.graded && part.code.size() == 1) {
        row.fingerprint = fingerprint; // without details, as the rows have it
        part.commands.push_back(redactor.text(*record::gradeCommand(row, part.code.front().name)));
    }
    if (auto done = addFiles(record, row.files, "files/" + part.slug + "/", part.files); !done)
        return done.error();
    if (!part.runs.empty())
        part.data = {"data/" + part.slug + ".csv", runsCsv(part.runs), "Runs of " + part.title, false};
    return part;
}

JournalPart journalPartOf(Redactor& redactor, const record::JournalRow& entry)
{
    return {entry.kind, redactor.text(entry.title), redactor.text(entry.text), redactor.time(entry.createdAt)};
}

namespace {

Result<std::vector<record::ArtifactRow>> chosenRows(const record::Store& store, const PortfolioOptions& options)
{
    auto all = store.artifacts();
    if (!all)
        return all.error();
    if (all->empty())
        return Error{"nothing-shipped", "Nothing was shipped yet.", store.folder().string(),
                     "Finish a lesson and ship its artifact, then export again."};
    if (options.artifacts.empty())
        return all;
    std::vector<record::ArtifactRow> chosen;
    for (const std::string& id : options.artifacts) {
        const auto found = std::find_if(all->begin(), all->end(), [&](const record::ArtifactRow& row) {
            return row.id == id || row.artifactId == id;
        });
        if (found == all->end())
            return Error{"unknown-artifact", "There is no artifact " + id + ".", store.folder().string(),
                         "List them with ridge artifacts."};
        if (std::none_of(chosen.begin(), chosen.end(), [&](const auto& row) { return row.id == found->id; }))
            chosen.push_back(*found);
    }
    return chosen;
}

} // namespace

std::string keyOf(Template style)
{
    return style == Template::Job ? "job" : style == Template::HandIn ? "handin" : "notebook";
}

std::optional<Template> templateFromKey(std::string_view key)
{
    for (Template style : {Template::Job, Template::HandIn, Template::Notebook})
        if (keyOf(style) == key)
            return style;
    return {};
}

std::string titleOf(Template style)
{
    return style == Template::Job ? "Job application" : style == Template::HandIn ? "Course hand-in" : "Lab notebook";
}

std::string purposeOf(Template style)
{
    return style == Template::Job
               ? "One page that answers what you claim, on which machine and how to run it again; details behind it."
           : style == Template::HandIn
               ? "Every artifact with its lesson, prediction and result in one table, then each in full."
               : "Everything in the order in which it happened, failures and decisions with it.";
}

Result<PortfolioDocument> makePortfolio(const record::Store& store, std::span<const ExperimentInfo> experiments,
                                        const LessonTitle& lessonTitle, const PortfolioOptions& options,
                                        const Person& person)
{
    auto rows = chosenRows(store, options);
    if (!rows)
        return rows.error();
    if (options.style == Template::Notebook)
        std::stable_sort(rows->begin(), rows->end(),
                         [](const auto& a, const auto& b) { return a.createdAt < b.createdAt; });
    Redactor redactor(person, options.shown);
    const auto source = sourceOf(store);
    if (!source)
        return source.error();
    PortfolioMaker record{*source, experiments, lessonTitle, redactor, options.held};

    PortfolioDocument document;
    document.style = options.style;
    document.title = redactor.text(
        options.title.empty()
            ? (options.style == Template::Notebook ? "Lab notebook" : "What I measured, and how to run it again")
            : options.title);
    document.intro = redactor.text(options.intro);
    document.course = redactor.text(options.course);
    document.shown = options.shown;
    document.catalogue = sha256Hex(catalogueToJson(experiments).dump(-1, ' ', false, Json::error_handler_t::replace));
    for (const std::string& name : {options.author, options.contact})
        if (!name.empty())
            redactor.note(Detail::Name, name);
    if (options.shown.contains(Detail::Name)) {
        document.author = options.author;
        document.contact = options.contact;
    }
    document.made = redactor.shows(Detail::Times) ? record::timeStamp().left(10).toStdString()
                                                  : record::timeStamp().left(7).toStdString();
    std::set<std::string> told;
    for (const record::ArtifactRow& row : *rows) {
        auto part = artifactPartOf(record, row);
        if (!part)
            return part.error();
        document.artifacts.push_back(std::move(*part));
        told.insert(row.journalIds.begin(), row.journalIds.end());
    }
    std::vector<std::string> selected;
    for (const record::ArtifactRow& row : *rows) {
        selected.push_back(row.id);
        for (const std::string& id : row.journalIds)
            if (const auto entry = record.source.journal.find(id); entry != record.source.journal.end())
                selected.push_back(entry->second.id);
        if (const auto repeated = record.source.reproductions.find(row.artifactId);
            repeated != record.source.reproductions.end())
            for (const record::ReproductionRow& reproduction : repeated->second)
                selected.push_back(reproduction.id);
    }
    if (options.style == Template::Notebook)
        for (const record::JournalRow* entry : journalBeside(*source, told)) {
            document.journal.push_back(journalPartOf(redactor, *entry));
            selected.push_back(entry->id);
        }
    selected.insert(selected.end(), record.reasonIds.begin(), record.reasonIds.end());
    auto lines = portfolioRows(store, selected, redactor, options.held, record.changedFiles);
    if (!lines)
        return lines.error();
    document.rows = std::move(lines->text);
    document.rowCount = lines->rows;
    document.redactedRows = lines->redacted;
    document.redactedColumns = {lines->columns.begin(), lines->columns.end()};
    document.preview = privacyPreview(redactor);
    return document;
}

std::vector<ModuleParts> byModule(const std::vector<ArtifactPart>& parts, std::size_t from)
{
    std::map<std::string, ModuleParts> modules;
    for (std::size_t i = from; i < parts.size(); ++i) {
        const std::string& lesson = parts[i].lesson;
        const bool numbered = lesson.size() > 2 && lesson[1] == '.';
        const std::string key = numbered ? lesson.substr(0, 1) : "~";
        modules[key].title = numbered ? "Module " + key : "Of no module";
        modules[key].parts.push_back(i);
    }
    std::vector<ModuleParts> groups;
    for (auto& [key, module] : modules)
        groups.push_back(std::move(module));
    if (groups.size() > 1 && isLongList(parts.size()))
        return groups;
    ModuleParts all;
    for (std::size_t i = from; i < parts.size(); ++i)
        all.parts.push_back(i);
    return {all};
}

} // namespace ridge::folio
