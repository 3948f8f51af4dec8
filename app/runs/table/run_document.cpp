// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/table/run_document.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/json_read.h"
#include "record/baselines.h"

#include <QFileInfo>

namespace ridge::app {
namespace {

constexpr qint64 kLargestFile = 64 << 20;
const std::string kCode = "bad-runs";
const std::string kFix = "Give a file that `ridge run --json` or the export of Ridgepoint wrote.";

Provenance asRecorded(Provenance provenance)
{
    return provenance == Provenance::Measured ? Provenance::Recorded : provenance;
}

/// What a run and a sample have in common.
Result<void> readValues(const Json& json, record::RunRow& run, const std::string& place)
{
    JsonReader reader(json, place, kCode);
    const Json* params = reader.object("params");
    const Json* metrics = reader.object("metrics");
    const Json* limits = reader.object("limits", false);
    run.validity = reader.text("validity", false);
    if (reader.error())
        return *reader.error();
    auto readParams = paramSetFromJson(*params, place);
    if (!readParams)
        return readParams.error();
    run.params = std::move(*readParams);
    auto readMetrics = metricsFromJson(*metrics);
    if (!readMetrics)
        return readMetrics.error();
    run.metrics = std::move(*readMetrics);
    for (auto& [name, value] : run.metrics)
        value.provenance = asRecorded(value.provenance);
    if (limits) {
        auto readLimits = limitsFromJson(*limits);
        if (!readLimits)
            return readLimits.error();
        run.limits = std::move(*readLimits);
    }
    if (run.metrics.empty())
        return Error{kCode, "There are no metrics in it.", place, ""};
    return {};
}

Result<void> readIdentity(const Json& json, record::RunRow& run, const std::string& place)
{
    JsonReader reader(json, place, kCode);
    run.experiment = reader.text("experiment");
    run.version = static_cast<int>(reader.integer("version", false, 1));
    run.target = reader.text("target");
    const std::string provenance = reader.text("provenance");
    const Json* print = reader.object("fingerprint", false);
    if (reader.error())
        return *reader.error();
    const auto known = provenanceFromText(provenance);
    if (!known)
        return Error{kCode, "\"" + provenance + "\" is not a provenance.", place,
                     "It is MEASURED, SIMULATED, MODELLED or RECORDED."};
    run.provenance = asRecorded(*known);
    run.fingerprint = print ? *print : Json::object();
    run.status = "finished";
    return {};
}

Result<std::vector<record::RunRow>> readSamples(const Json& document, const std::string& place)
{
    record::RunRow common;
    if (auto read = readIdentity(document, common, place); !read)
        return read.error();
    std::vector<record::RunRow> runs;
    for (const Json& sample : document["samples"]) {
        record::RunRow run = common;
        const std::string where = place + ", sample " + std::to_string(runs.size() + 1);
        if (auto read = readValues(sample, run, where); !read)
            return read.error();
        runs.push_back(std::move(run));
    }
    return runs;
}

Result<std::vector<record::RunRow>> readRuns(const Json& document, const std::string& place)
{
    std::vector<record::RunRow> runs;
    std::size_t number = 0;
    for (const Json& json : document["runs"]) {
        const std::string where = place + ", run " + std::to_string(++number);
        record::RunRow run;
        if (auto read = readIdentity(json, run, where); !read)
            return read.error();
        if (json.contains("status") && json["status"] != "finished")
            continue;
        if (auto read = readValues(json, run, where); !read)
            return read.error();
        run.createdAt = json.contains("created_at") && json["created_at"].is_string()
                            ? json["created_at"].get<std::string>()
                            : std::string();
        runs.push_back(std::move(run));
    }
    return runs;
}

/// A baseline as assets/baselines has them, of a person's own or from somebody else.
Result<std::vector<record::RunRow>> readBaselineRuns(const Json& document, const std::string& place)
{
    auto baseline = record::parseBaseline(document.dump(), std::filesystem::path(place).stem().string(), place);
    if (!baseline)
        return baseline.error();
    std::vector<record::RunRow> runs;
    for (record::BaselinePoint& point : baseline->points)
        runs.push_back(std::move(point.run));
    return runs;
}

Result<std::vector<record::RunRow>> read(const Json& document, const std::string& place)
{
    const auto isList = [&](const char* key) {
        return document.is_object() && document.contains(key) && document[key].is_array();
    };
    if (document.is_object() && document.contains("schema") && document.contains("experiments"))
        return readBaselineRuns(document, place);
    if (isList("samples"))
        return readSamples(document, place);
    if (isList("runs"))
        return readRuns(document, place);
    return Error{kCode, "It has neither \"samples\" nor \"runs\".", place, ""};
}

} // namespace

Result<std::vector<record::RunRow>> parseRunDocument(const std::string& text, const std::string& place)
{
    const auto json = parseJson(text, place);
    if (!json)
        return json.error();
    auto runs = read(*json, place);
    if (runs && runs->empty())
        runs = Error{kCode, "There is no finished run in it.", place, ""};
    if (!runs) {
        Error error = runs.error();
        if (error.place.find(place) == std::string::npos)
            error.place = place + ": " + error.place;
        if (error.fix.empty())
            error.fix = kFix;
        return error;
    }
    for (record::RunRow& run : *runs)
        run.id = newUuid7();
    return runs;
}

Result<std::vector<record::RunRow>> readRunDocument(const QString& path)
{
    const std::string place = path.toStdString();
    if (QFileInfo(path).size() > kLargestFile)
        return Error{"too-large", "The file is larger than 64 MiB.", place, kFix};
    const auto text = readFile(std::filesystem::path(place));
    if (!text)
        return text.error();
    auto runs = parseRunDocument(*text, place);
    if (runs)
        for (record::RunRow& run : *runs)
            if (run.createdAt.empty())
                run.createdAt = QFileInfo(path).lastModified().toUTC().toString(Qt::ISODateWithMs).toStdString();
    return runs;
}

} // namespace ridge::app
