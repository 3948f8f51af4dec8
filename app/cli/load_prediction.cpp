// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/load_prediction.h"

#include "base/json.h"
#include "base/target_kind.h"
#include "cli/job.h"
#include "cli/points_table.h"
#include "serving/load/load_report.h"

#include <QDir>
#include <QTemporaryDir>
#include <array>

namespace ridge::cli {
namespace {

constexpr const char* kExperiment = "serving";
constexpr std::string_view kModel = "model"; ///< the target
/// What the load itself decides.
constexpr std::array kOfTheLoad{"trace",   "time_scale", "rate",   "requests", "arrivals",    "cv",
                                "lengths", "spread",     "prompt", "output",   "concurrency", "scenario"};

Result<JobResult> serve(const ParamSet& point, std::uint64_t seed, bool showProgress)
{
    RunRequest request;
    request.experiment = kExperiment;
    request.target = kModel;
    request.seed = seed;
    request.points = {point};
    request.trace = false;
    auto result = runJob(request, nullptr, {}, showProgress);
    if (result && result->samples.empty())
        return Error{"no-prediction", "the experiment serving gave no numbers", "--against", "run it with ridge run"};
    return result;
}

} // namespace

Result<ParamSet> readPredictionSetting(const std::string& text)
{
    const auto catalogue = loadCatalogue();
    if (!catalogue)
        return catalogue.error();
    const auto info = findExperiment(*catalogue, kExperiment);
    if (!info)
        return info.error();
    std::vector<std::string> assignments;
    for (const QString& part : QString::fromStdString(text).split(QLatin1Char(','), Qt::SkipEmptyParts))
        assignments.push_back(part.trimmed().toStdString());
    auto setting = readSettings(*info, assignments);
    if (!setting)
        return setting;
    for (const char* name : kOfTheLoad)
        if (setting->contains(name))
            return Error{"bad-argument", std::string("the load itself decides ") + name, "--against",
                         "name the server alone: chip, gpus, tp, model, dtype, framework …"};
    resolveFiles(*info, *setting);
    ParamSet one = *setting;
    one["requests"] = std::int64_t{1};
    if (const auto tried = serve(one, 1, false); !tried)
        return tried.error();
    return setting;
}

Result<LoadPrediction> predictLoad(const ParamSet& setting, const std::vector<serving::Request>& requests,
                                   std::uint64_t seed)
{
    const QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("requests.csv")).toStdString();
    if (const auto written = writeFile(file, serving::traceText(requests)); !written)
        return written.error();
    ParamSet point = setting;
    point["trace"] = file;
    auto result = serve(point, seed, true);
    if (!result)
        return result.error();
    SampleEvent& sample = result->samples.front();
    sample.params.erase("trace");
    return LoadPrediction{std::move(sample.params), std::move(sample.metrics)};
}

} // namespace ridge::cli
