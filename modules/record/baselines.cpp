// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/baselines.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/json_read.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ridge::record {
namespace {

const std::string kCode = "bad-baseline";
constexpr const char* kFormat = "ridge-baseline/1";
constexpr const char* kFormatName = "ridge-baseline/";
constexpr std::uintmax_t kLargestFile = 16u << 20;
constexpr const char* kFix = "Mend the file after assets/schemas/baseline.schema.json, or take it out of the folder.";

Error bad(const std::string& message, const std::string& place)
{
    return {kCode, message, place, kFix};
}

Error withFix(Error error)
{
    if (error.fix.empty())
        error.fix = kFix;
    return error;
}

Result<void> readPoint(const Json& json, BaselinePoint& point, const std::string& place)
{
    JsonReader reader(json, place, kCode);
    const Json* params = reader.object("params");
    const Json* metrics = reader.object("metrics");
    const Json* limits = reader.object("limits", false);
    point.run.validity = reader.text("validity", false);
    point.note = reader.text("note", false);
    if (reader.error())
        return *reader.error();
    auto readParams = paramSetFromJson(*params, place);
    if (!readParams)
        return readParams.error();
    point.run.params = std::move(*readParams);
    for (const auto& [name, item] : metrics->items()) {
        JsonReader in(item, place + ", metric " + name, kCode);
        const MetricValue value{in.number("value"), in.text("unit"), Provenance::Recorded};
        if (in.error())
            return *in.error();
        if (!std::isfinite(value.value))
            return bad("The value is not a number.", place + ", metric " + name);
        point.run.metrics.emplace(name, value);
    }
    if (point.run.metrics.empty())
        return bad("There are no metrics in it.", place);
    if (limits) {
        auto readLimits = limitsFromJson(*limits);
        if (!readLimits)
            return readLimits.error();
        point.run.limits = std::move(*readLimits);
    }
    for (const auto& [name, limit] : point.run.limits)
        if ((limit.kind != "upper" && limit.kind != "lower") || !(limit.value > 0))
            return bad("A limit is above 0 and either \"upper\" or \"lower\".", place + ", limit " + name);
    if (point.run.validity.empty())
        point.run.validity = "not told";
    return {};
}

Result<void> readExperiment(const std::string& name, const Json& json, Baseline& baseline, const std::string& place)
{
    JsonReader reader(json, place, kCode);
    const int version = static_cast<int>(reader.integer("version"));
    const Json* points = reader.array("points");
    if (reader.error())
        return *reader.error();
    std::size_t number = 0;
    for (const Json& item : *points) {
        const std::string where = place + ", point " + std::to_string(++number);
        BaselinePoint point;
        if (auto read = readPoint(item, point, where); !read)
            return read.error();
        RunRow& run = point.run;
        run.id = newUuid7();
        run.experiment = name;
        run.version = version;
        run.target = "recorded:" + baseline.id;
        run.provenance = Provenance::Recorded;
        run.fingerprint = baseline.fingerprint;
        run.status = "finished";
        run.createdAt = baseline.date;
        baseline.points.push_back(std::move(point));
    }
    return {};
}

/// How it came about. A file that tests/gpu/run.sh wrote has no source: this program ran there.
Result<void> readSource(const Json& json, Baseline& baseline, const std::string& place)
{
    JsonReader reader(json, place, kCode);
    const Json* source = reader.object("source", false);
    const std::string regime = reader.text("regime", false);
    if (reader.error())
        return *reader.error();
    if (!source) {
        baseline.source = "Measured there by Ridgepoint's tests/gpu/run.sh" + (regime.empty() ? "" : ", " + regime);
        return {};
    }
    JsonReader in(*source, place + ", source", kCode);
    const std::string kind = in.text("kind");
    baseline.source = in.text("text");
    baseline.where = in.text("where", false);
    if (in.error())
        return *in.error();
    if (kind != "run" && kind != "published")
        return bad("\"" + kind + "\" is no kind of source: it is \"run\" or \"published\".", place + ", source");
    baseline.published = kind == "published";
    if (baseline.source.empty() || (baseline.published && baseline.where.empty()))
        return bad("A source says what it is, a published one also where it stands.", place + ", source");
    return {};
}

Result<Baseline> readBaseline(const Json& json, const std::string& id, const std::string& place)
{
    JsonReader reader(json, place, kCode);
    const std::string format = reader.text("schema");
    if (!reader.error() && format != kFormat) {
        const bool newer = format.rfind(kFormatName, 0) == 0;
        return Error{newer ? "newer-baseline" : kCode,
                     newer ? "It is of format " + format + ", which a newer Ridgepoint writes."
                           : "\"schema\" is not \"" + std::string(kFormat) + "\".",
                     place, newer ? "Update Ridgepoint, or take the file out of the folder." : kFix};
    }
    Baseline baseline;
    baseline.id = id;
    baseline.chip = reader.text("chip");
    baseline.machine = reader.text("machine", false);
    baseline.date = reader.text("date");
    baseline.unknown = reader.texts("unknown", false);
    const Json* print = reader.object("fingerprint");
    const Json* experiments = reader.object("experiments");
    if (reader.error())
        return *reader.error();
    if (print->empty())
        return bad("The fingerprint is empty: nobody could tell what machine this was.", place);
    baseline.fingerprint = *print;
    if (baseline.machine.empty())
        baseline.machine = baseline.chip;
    if (baseline.machine.empty())
        return bad("It names neither \"machine\" nor \"chip\".", place);
    if (auto read = readSource(json, baseline, place); !read)
        return read.error();
    for (const auto& [name, item] : experiments->items())
        if (auto read = readExperiment(name, item, baseline, place + ", " + name); !read)
            return read.error();
    if (baseline.points.empty())
        return bad("There are no points in it.", place);
    return baseline;
}

} // namespace

Result<Baseline> parseBaseline(const std::string& text, const std::string& id, const std::string& place)
{
    const auto json = parseJson(text, place);
    if (!json)
        return withFix(json.error());
    if (!json->is_object())
        return bad("It is not a JSON object.", place);
    auto baseline = readBaseline(*json, id, place);
    if (!baseline) {
        Error error = withFix(baseline.error());
        if (error.place.find(place) == std::string::npos)
            error.place = place + ": " + error.place;
        return error;
    }
    return baseline;
}

BaselineLibrary readBaselines(const std::filesystem::path& folder)
{
    BaselineLibrary library;
    std::error_code code;
    std::vector<std::filesystem::path> files;
    for (std::filesystem::directory_iterator it(folder, code), end; !code && it != end; it.increment(code))
        if (it->path().extension() == ".json")
            files.push_back(it->path());
    std::sort(files.begin(), files.end());
    for (const std::filesystem::path& file : files) {
        const std::string place = file.filename().string();
        std::error_code sizeCode;
        if (const auto size = std::filesystem::file_size(file, sizeCode); !sizeCode && size > kLargestFile) {
            library.problems.push_back({"too-large", "The file is larger than 16 MiB.", place, kFix});
            continue;
        }
        auto text = readFile(file);
        auto baseline = text ? parseBaseline(*text, file.stem().string(), place) : Result<Baseline>(text.error());
        if (baseline)
            library.baselines.push_back(std::move(*baseline));
        else
            library.problems.push_back(baseline.error());
    }
    return library;
}

std::vector<Error> baselineMisfits(const Baseline& baseline, std::span<const ExperimentInfo> experiments)
{
    std::vector<Error> misfits;
    std::set<std::string> told;
    const auto tell = [&](const std::string& message, const std::string& where, const std::string& fix) {
        if (told.insert(where + message).second)
            misfits.push_back({"baseline-misfit", message, baseline.id + ".json, " + where, fix});
    };
    for (const BaselinePoint& point : baseline.points) {
        const std::string& name = point.run.experiment;
        const auto info = std::find_if(experiments.begin(), experiments.end(),
                                       [&](const ExperimentInfo& each) { return each.id == name; });
        if (info == experiments.end()) {
            tell("There is no such experiment.", name, kFix);
            continue;
        }
        if (info->version != point.run.version) {
            tell("It was measured with version " + std::to_string(point.run.version) +
                     " of the experiment; this is version " + std::to_string(info->version) + ".",
                 name, "Measure it again: its points are not shown.");
            continue;
        }
        for (const auto& [param, value] : point.run.params)
            if (!info->parameter(param))
                tell("The experiment has no parameter " + param + ".", name, kFix);
        for (const auto& [metric, value] : point.run.metrics) {
            const MetricSpec* spec = info->metric(metric);
            if (!spec)
                tell("The experiment has no metric " + metric + ".", name, kFix);
            else if (spec->unit != value.unit)
                tell("The metric " + metric + " is in " + spec->unit + ", here in " + value.unit + ".", name, kFix);
        }
    }
    return misfits;
}

std::vector<const BaselinePoint*> pointsOf(const Baseline& baseline, const ExperimentInfo& experiment)
{
    std::vector<const BaselinePoint*> points;
    for (const BaselinePoint& point : baseline.points)
        if (point.run.experiment == experiment.id && point.run.version == experiment.version)
            points.push_back(&point);
    return points;
}

Json baselineCard(const Baseline& baseline)
{
    return {{"id", baseline.id},
            {"machine", baseline.machine},
            {"kind", baseline.published ? "published" : "run"},
            {"source", baseline.source},
            {"where", baseline.where},
            {"date", baseline.date},
            {"unknown", baseline.unknown},
            {"fingerprint", *baseline.fingerprint}};
}

} // namespace ridge::record
