// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/artifact_export.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/units.h"
#include "record/rerun.h"

#include <set>

namespace ridge::record {
namespace {

std::string csvCell(const std::string& text)
{
    if (text.find_first_of(",\"\n\r") == std::string::npos)
        return text;
    std::string out = "\"";
    for (char c : text)
        out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
}

std::string exactNumber(double value)
{
    return Json(value).dump();
}

std::string runsCsv(const std::vector<RunRow>& runs)
{
    std::set<std::string> params, metrics;
    for (const RunRow& run : runs) {
        for (const auto& [name, value] : run.params)
            params.insert(name);
        for (const auto& [name, value] : run.metrics)
            metrics.insert(name);
    }
    std::string out = "run,experiment,version,target,seed,validity";
    for (const std::string& name : params)
        out += "," + csvCell(name);
    for (const std::string& name : metrics)
        out += "," + csvCell(name) + "," + csvCell(name + " unit") + "," + csvCell(name + " provenance");
    out += '\n';
    for (const RunRow& run : runs) {
        out += run.id + "," + csvCell(run.experiment) + "," + std::to_string(run.version) + "," + csvCell(run.target) +
               "," + std::to_string(run.seed) + "," + csvCell(run.validity);
        for (const std::string& name : params) {
            const auto it = run.params.find(name);
            out += "," + (it == run.params.end() ? std::string() : csvCell(toText(it->second)));
        }
        for (const std::string& name : metrics) {
            const auto it = run.metrics.find(name);
            out += it == run.metrics.end() ? ",,,"
                                           : "," + exactNumber(it->second.value) + "," + csvCell(it->second.unit) +
                                                 "," + std::string(toText(it->second.provenance));
        }
        out += '\n';
    }
    return out;
}

Json artifactJson(const ArtifactRow& artifact, const std::vector<PredictionRow>& predictions,
                  const std::vector<RunRow>& runs, const std::vector<NoteRow>& notes)
{
    Json json{{"format", "ridgepoint-artifact/1"},
              {"id", artifact.id},
              {"lesson", artifact.lesson},
              {"kind", artifact.kind},
              {"level", artifact.level},
              {"title", artifact.title},
              {"question", artifact.question},
              {"claim", artifact.claim},
              {"reflection", artifact.reflection},
              {"trust", artifact.trust},
              {"provenance", toText(artifact.provenance)},
              {"created_at", artifact.createdAt},
              {"fingerprint", *artifact.fingerprint},
              {"charts", *artifact.charts},
              {"code", Json::array()},
              {"predictions", Json::array()},
              {"runs", Json::array()},
              {"notes", Json::array()}};
    for (const NoteRow& note : notes)
        json["notes"].push_back(Json{{"id", note.noteId},
                                     {"section", note.section},
                                     {"block", note.block},
                                     {"quote", note.quote},
                                     {"text", note.text},
                                     {"created_at", note.createdAt}});
    for (const ArtifactCode& code : artifact.code)
        json["code"].push_back(Json{{"name", code.name}, {"sha256", code.sha256}});
    for (const PredictionRow& p : predictions)
        json["predictions"].push_back(Json{{"id", p.id},
                                           {"block", p.block},
                                           {"experiment", p.experiment},
                                           {"metric", p.metric},
                                           {"unit", p.unit},
                                           {"params", toJson(p.params)},
                                           {"point", p.point},
                                           {"low", p.low},
                                           {"high", p.high},
                                           {"created_at", p.createdAt},
                                           {"seq", p.seq}});
    for (const RunRow& r : runs)
        json["runs"].push_back(Json{{"id", r.id},
                                    {"block", r.block},
                                    {"experiment", r.experiment},
                                    {"version", r.version},
                                    {"target", r.target},
                                    {"provenance", toText(r.provenance)},
                                    {"seed", r.seed},
                                    {"params", toJson(r.params)},
                                    {"metrics", metricsToJson(r.metrics)},
                                    {"limits", limitsToJson(r.limits)},
                                    {"checks", checksToJson(r.checks)},
                                    {"validity", r.validity},
                                    {"fingerprint", *r.fingerprint},
                                    {"created_at", r.createdAt},
                                    {"seq", r.seq}});
    return json;
}

/// What its author wrote beside the lesson, each note below the words it stands at.
std::string notesText(const std::vector<NoteRow>& notes)
{
    if (notes.empty())
        return {};
    std::string text = "\n\n## Notes in the margin\n";
    for (const NoteRow& note : notes) {
        std::string quote;
        for (char c : note.quote) {
            quote += c;
            if (c == '\n')
                quote += "> ";
        }
        text += "\n> " + quote + "\n";
        if (!note.text.empty())
            text += "\n" + note.text + "\n";
    }
    text.pop_back();
    return text;
}

std::string readmeText(const ArtifactRow& artifact, const std::vector<PredictionRow>& predictions,
                       const std::vector<RunRow>& runs, const std::vector<NoteRow>& notes, const ExportExtras& extras)
{
    std::string text = "# " + artifact.title + "\n\n" + artifact.claim + "\n\n" + "Question: " + artifact.question +
                       "\n\n## Prediction and result\n\n";
    if (predictions.empty())
        text += "No prediction was committed before these runs.\n";
    for (const PredictionRow& p : predictions) {
        std::string result = "not run";
        for (const RunRow& run : runs) {
            const bool same =
                run.experiment == p.experiment && std::all_of(p.params.begin(), p.params.end(), [&](const auto& item) {
                    const auto it = run.params.find(item.first);
                    return it != run.params.end() && asNumber(it->second) == asNumber(item.second);
                });
            if (same && run.metrics.contains(p.metric)) {
                const MetricValue& value = run.metrics.at(p.metric);
                result = formatQuantity(value.value, value.unit) + " (" + std::string(toText(value.provenance)) + ")";
            }
        }
        text += "* " + p.metric + " at " + toJson(p.params).dump() + ": predicted " + formatQuantity(p.point, p.unit) +
                ", 80 % interval " + formatQuantity(p.low, p.unit) + " to " + formatQuantity(p.high, p.unit) +
                "; result " + result + "\n";
    }
    text += '\n';
    for (const ExtraFile& file : extras.files)
        if (file.name.ends_with(".png"))
            text += "![Chart of the stored runs](" + file.name + ")\n\n";
    for (const std::string& note : extras.notes)
        text += note + "\n\n";
    text += "## Reflection\n\n" + (artifact.reflection.empty() ? "None was written." : artifact.reflection) +
            notesText(notes) + "\n\n## Machine\n\n```json\n" + artifact.fingerprint->dump(2) +
            "\n```\n\n## Repeat it\n\n```sh\n";
    for (const std::string& line : rerunCommands(runs))
        text += line + "\n";
    text += "sha256sum -c SHA256SUMS\n```\n\nruns.csv has every number with unit and provenance; artifact.json has "
            "everything; code/ the kernels that ran.\n\nTrust level: " +
            artifact.trust + ". Shipped " + artifact.createdAt + " by Ridgepoint.\n";
    return text;
}

Error cannotWrite(const std::filesystem::path& path, const std::string& why)
{
    return {"cannot-write", why, path.string(), "name a new folder in a place where you may write"};
}

} // namespace

std::string exportFolderName(const ArtifactRow& artifact)
{
    std::string slug;
    for (char c : artifact.title) {
        if (std::isalnum(static_cast<unsigned char>(c)))
            slug += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!slug.empty() && slug.back() != '-')
            slug += '-';
    }
    while (!slug.empty() && slug.back() == '-')
        slug.pop_back();
    // The end of a UUIDv7 is its random part: two artifacts of one title stay apart.
    return artifact.lesson + "-" + slug.substr(0, 48) + "-" + artifact.id.substr(artifact.id.size() - 6);
}

Result<std::filesystem::path> exportArtifact(const Store& store, const std::string& artifactId,
                                             const std::filesystem::path& folder, const ExportExtras& extras)
{
    const auto found = store.artifact(artifactId);
    if (!found)
        return found.error();
    RunFilter filter;
    filter.ids = found->runIds;
    auto runs = found->runIds.empty() ? Result<std::vector<RunRow>>(std::vector<RunRow>{}) : store.runs(filter);
    if (!runs)
        return runs.error();
    std::sort(runs->begin(), runs->end(), [](const RunRow& a, const RunRow& b) { return a.id < b.id; });
    const auto allPredictions = store.predictions(found->lesson);
    if (!allPredictions)
        return allPredictions.error();
    std::vector<PredictionRow> predictions;
    for (const PredictionRow& row : *allPredictions)
        if (std::find(found->predictionIds.begin(), found->predictionIds.end(), row.id) != found->predictionIds.end())
            predictions.push_back(row);

    const auto notes = store.notes(found->lesson);
    if (!notes)
        return notes.error();
    std::vector<ExtraFile> files = {{"README.md", readmeText(*found, predictions, *runs, *notes, extras)},
                                    {"artifact.json", artifactJson(*found, predictions, *runs, *notes).dump(2) + "\n"},
                                    {"runs.csv", runsCsv(*runs)}};
    for (const ArtifactCode& code : found->code) {
        auto bytes = store.file(code.sha256);
        if (!bytes)
            return bytes.error();
        files.push_back({"code/" + code.name, std::move(*bytes)});
    }
    for (const RunRow& run : *runs) {
        if (run.traceSha256.empty())
            continue;
        auto bytes = store.file(run.traceSha256);
        if (!bytes)
            return bytes.error();
        files.push_back({"traces/" + run.id + ".rtrc", std::move(*bytes)});
    }
    files.insert(files.end(), extras.files.begin(), extras.files.end());

    std::error_code ec;
    if (std::filesystem::exists(folder, ec) && !std::filesystem::is_empty(folder, ec))
        return cannotWrite(folder, "exists and is not an empty folder");
    std::string sums;
    for (const ExtraFile& file : files) {
        const auto path = folder / file.name;
        std::filesystem::create_directories(path.parent_path(), ec);
        if (ec)
            return cannotWrite(path.parent_path(), "cannot be made: " + ec.message());
        if (auto written = writeFile(path, file.bytes); !written)
            return written.error();
        sums += sha256Hex(file.bytes) + "  " + file.name + "\n";
    }
    if (auto written = writeFile(folder / "SHA256SUMS", sums); !written)
        return written.error();
    return folder;
}

} // namespace ridge::record
