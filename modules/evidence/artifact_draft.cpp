// SPDX-License-Identifier: GPL-3.0-or-later
#include "evidence/artifact_draft.h"

#include "base/json.h"
#include "evidence/evidence.h"

#include <algorithm>
#include <array>
#include <set>

namespace ridge::app {
namespace {

constexpr std::array<const char*, 10> kKinds = {"profile",       "benchmark report", "architecture write-up", "kernel",
                                                "RTL block",     "timing report",    "decision memo",         "runbook",
                                                "capacity plan", "log import"};
constexpr std::array<const char*, 5> kSections = {"method", "result", "bottleneck", "failure_modes", "next_experiment"};

std::string text(const Json& json, const char* name)
{
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> names(const Json& json, const char* name)
{
    std::vector<std::string> all;
    if (const auto found = json.find(name); found != json.end() && found->is_array())
        for (const Json& item : *found)
            if (item.is_string())
                all.push_back(item.get<std::string>());
    return all;
}

Json filesToJson(const std::vector<record::ArtifactCode>& files)
{
    Json all = Json::array();
    for (const record::ArtifactCode& file : files)
        all.push_back(Json{{"name", file.name}, {"sha256", file.sha256}});
    return all;
}

std::vector<record::ArtifactCode> filesFromJson(const Json& json, const char* name)
{
    std::vector<record::ArtifactCode> all;
    if (const auto found = json.find(name); found != json.end() && found->is_array())
        for (const Json& item : *found)
            if (item.is_object() && !text(item, "sha256").empty())
                all.push_back({text(item, "name"), text(item, "sha256")});
    return all;
}

Json documentOf(const Json& json, const char* name, Json empty)
{
    const auto found = json.find(name);
    return found != json.end() && found->type() == empty.type() ? *found : std::move(empty);
}

/// How many of `names` are not among `others`.
std::size_t countMissing(const std::vector<std::string>& names, const std::vector<std::string>& others)
{
    const std::set<std::string> known(others.begin(), others.end());
    return static_cast<std::size_t>(
        std::count_if(names.begin(), names.end(), [&known](const std::string& one) { return !known.contains(one); }));
}

void tellCounts(std::vector<std::string>& changes, const char* one, const char* many,
                const std::vector<std::string>& older, const std::vector<std::string>& newer)
{
    const auto tell = [&](std::size_t count, const char* verb) {
        if (count > 0)
            changes.push_back(std::to_string(count) + " " + (count == 1 ? one : many) + " " + verb);
    };
    tell(countMissing(newer, older), "added");
    tell(countMissing(older, newer), "taken out");
}

std::vector<std::string> sums(const std::vector<record::ArtifactCode>& files)
{
    std::vector<std::string> all;
    for (const record::ArtifactCode& file : files)
        all.push_back(file.name + file.sha256);
    return all;
}

} // namespace

std::span<const char* const> artifactKinds()
{
    return kKinds;
}

std::span<const char* const> artifactSections()
{
    return kSections;
}

std::filesystem::path draftPath(const std::filesystem::path& store, const std::string& id)
{
    return store / "drafts" / "portfolio" / (id + ".json");
}

Json draftToJson(const record::ArtifactRow& row)
{
    return Json{{"artifact_id", row.artifactId},
                {"origin", row.origin},
                {"lesson", row.lesson},
                {"kind", row.kind},
                {"title", row.title},
                {"question", row.question},
                {"claim", row.claim},
                {"reflection", row.reflection},
                {"level", row.level},
                {"prediction_ids", row.predictionIds},
                {"run_ids", row.runIds},
                {"journal_ids", row.journalIds},
                {"sections", row.sections},
                {"charts", *row.charts},
                {"figures", *row.figures},
                {"code", filesToJson(row.code)},
                {"files", filesToJson(row.files)},
                {"fingerprint", *row.fingerprint},
                {"provenance", std::string(toText(row.provenance))},
                {"trust", row.trust}};
}

record::ArtifactRow draftFromJson(const Json& json)
{
    record::ArtifactRow row;
    row.charts = Json::array();
    row.fingerprint = Json::object();
    if (!json.is_object())
        return row;
    row.artifactId = text(json, "artifact_id");
    row.origin = text(json, "origin");
    row.lesson = text(json, "lesson");
    row.kind = text(json, "kind");
    row.title = text(json, "title");
    row.question = text(json, "question");
    row.claim = text(json, "claim");
    row.reflection = text(json, "reflection");
    if (const auto level = json.find("level"); level != json.end() && level->is_number_integer())
        row.level = std::clamp(level->get<int>(), 1, 5);
    row.predictionIds = names(json, "prediction_ids");
    row.runIds = names(json, "run_ids");
    row.journalIds = names(json, "journal_ids");
    if (const auto sections = json.find("sections"); sections != json.end() && sections->is_object())
        for (const char* name : kSections)
            if (const std::string found = text(*sections, name); !found.empty())
                row.sections[name] = found;
    row.charts = documentOf(json, "charts", Json::array());
    if (const auto figures = json.find("figures"); figures != json.end() && figures->is_array())
        row.figures = *figures;
    row.code = filesFromJson(json, "code");
    row.files = filesFromJson(json, "files");
    row.fingerprint = documentOf(json, "fingerprint", Json::object());
    row.provenance = provenanceFromText(text(json, "provenance")).value_or(Provenance::Simulated);
    if (const std::string trust = text(json, "trust"); !trust.empty())
        row.trust = trust;
    return row;
}

Result<void> writeDraft(const std::filesystem::path& store, const std::string& id, const record::ArtifactRow& row)
{
    const std::filesystem::path path = draftPath(store, id);
    std::error_code ignored; // where the folder cannot be made, writing tells
    std::filesystem::create_directories(path.parent_path(), ignored);
    return writeFile(path, draftToJson(row).dump(1));
}

std::optional<record::ArtifactRow> readDraft(const std::filesystem::path& store, const std::string& id)
{
    const std::filesystem::path path = draftPath(store, id);
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored))
        return {};
    const auto bytes = readFile(path);
    const auto json = bytes ? parseJson(*bytes, path.string()) : Result<Json>(bytes.error());
    return draftFromJson(json ? *json : Json());
}

void removeDraft(const std::filesystem::path& store, const std::string& id)
{
    std::error_code ignored;
    std::filesystem::remove(draftPath(store, id), ignored);
}

std::vector<DraftHead> drafts(const std::filesystem::path& store)
{
    std::vector<std::pair<std::filesystem::file_time_type, DraftHead>> found;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(draftPath(store, {}).parent_path(), ignored)) {
        if (entry.path().extension() != ".json")
            continue;
        const std::string id = entry.path().stem().string();
        if (const auto draft = readDraft(store, id))
            found.emplace_back(entry.last_write_time(ignored), DraftHead{id, draft->title});
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<DraftHead> heads;
    for (auto& [time, head] : found)
        heads.push_back(std::move(head));
    return heads;
}

void refreshFromRuns(record::ArtifactRow& row, std::span<const record::RunRow> runs,
                     const std::vector<ExperimentInfo>& experiments)
{
    std::set<std::string> present;
    const record::RunRow* newest = nullptr;
    for (const record::RunRow& run : runs) {
        present.insert(run.experiment);
        if (run.status == "finished" && (!newest || newest->createdAt < run.createdAt))
            newest = &run;
    }
    Json charts = Json::array();
    std::set<std::string> drawn;
    if (row.charts->is_array())
        for (const Json& chart : *row.charts)
            if (chart.is_object() && present.contains(text(chart, "experiment"))) {
                charts.push_back(chart);
                drawn.insert(text(chart, "experiment"));
            }
    for (const std::string& id : present) {
        const auto info = findExperiment(experiments, id);
        if (!drawn.contains(id) && info && !info->charts.empty())
            charts.push_back(Json{{"experiment", id}, {"chart", info->charts.front().id}, {"caption", ""}});
    }
    row.charts = std::move(charts);
    if (newest) {
        row.fingerprint = newest->fingerprint;
        row.provenance = provenanceOfAll(runs);
    }
    if (!row.fingerprint->is_object())
        row.fingerprint = Json::object();
    row.trust = newest ? "T1" : "T0";
}

Result<record::ArtifactRow> artifactOfRuns(record::Store& store, std::vector<record::RunRow> runs,
                                           const std::vector<ExperimentInfo>& experiments)
{
    if (runs.empty())
        return Error{"nothing-to-ship", "No run is chosen.", "runs", "Choose the runs that the artifact is about."};
    // Oldest first: the order in which the learner saw them.
    std::stable_sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.createdAt < b.createdAt; });
    record::ArtifactRow row;
    row.charts = Json::array();
    row.kind = "benchmark report";
    row.lesson = runs.front().lesson;
    std::vector<std::string> used;
    for (const record::RunRow& run : runs) {
        row.runIds.push_back(run.id);
        if (!run.predictionId.empty() &&
            std::ranges::find(row.predictionIds, run.predictionId) == row.predictionIds.end())
            row.predictionIds.push_back(run.predictionId);
        // The source of an experiment that this version does not have is not here.
        if (std::ranges::find(used, run.experiment) == used.end() && findExperiment(experiments, run.experiment))
            used.push_back(run.experiment);
        if (run.lesson != row.lesson)
            row.lesson.clear();
    }
    auto code = storeKernels(store, used, experiments);
    if (!code)
        return code.error();
    row.code = std::move(*code);
    refreshFromRuns(row, runs, experiments);
    const auto info = findExperiment(experiments, runs.front().experiment);
    row.title = (info ? info->title : runs.front().experiment) + " (" + originText(runs) + ")";
    row.level = row.trust == "T1" ? 3 : 1;
    return row;
}

std::vector<std::string> versionChanges(const record::ArtifactRow& older, const record::ArtifactRow& newer)
{
    std::vector<std::string> changes;
    const auto tell = [&changes](bool differs, const std::string& what) {
        if (differs)
            changes.push_back(what);
    };
    tell(older.title != newer.title, "the title");
    tell(older.question != newer.question, "the question");
    tell(older.claim != newer.claim, "the claim");
    tell(older.reflection != newer.reflection, "the reflection");
    for (const char* name : kSections) {
        const auto before = older.sections.find(name);
        const auto after = newer.sections.find(name);
        const std::string was = before == older.sections.end() ? std::string() : before->second;
        const std::string is = after == newer.sections.end() ? std::string() : after->second;
        std::string said = name;
        std::replace(said.begin(), said.end(), '_', ' ');
        tell(was != is, "the " + said);
    }
    tell(older.kind != newer.kind, "kind " + newer.kind + " instead of " + older.kind);
    tell(older.level != newer.level,
         "level " + std::to_string(newer.level) + " instead of " + std::to_string(older.level));
    tellCounts(changes, "run", "runs", older.runIds, newer.runIds);
    tellCounts(changes, "prediction", "predictions", older.predictionIds, newer.predictionIds);
    tellCounts(changes, "journal entry", "journal entries", older.journalIds, newer.journalIds);
    tellCounts(changes, "code file", "code files", sums(older.code), sums(newer.code));
    tellCounts(changes, "file", "files", sums(older.files), sums(newer.files));
    tell(*older.charts != *newer.charts, "the charts");
    return changes;
}

} // namespace ridge::app
