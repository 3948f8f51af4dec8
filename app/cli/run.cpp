// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge run`: one experiment at one point or over a sweep.
#include "cli/commands.h"

#include "base/paths.h"
#include "base/sweep_points.h"
#include "base/target_choice.h"
#include "cli/job.h"
#include "cli/points_table.h"
#include "record/resume.h"

#include <cstdio>

namespace ridge::cli {
namespace {

struct Prepared {
    ExperimentInfo info;
    RunRequest request;
    std::vector<std::string> given;
};

Result<Prepared> prepare(const RunOptions& options)
{
    const auto catalogue = loadCatalogue();
    if (!catalogue)
        return catalogue.error();
    auto info = findExperiment(*catalogue, options.experiment);
    if (!info)
        return info.error();
    const auto fixed = readSettings(*info, options.set);
    if (!fixed)
        return fixed.error();
    auto points = sweepPoints(info->parameters, *fixed, options.sweep);
    if (!points)
        return points.error();
    for (ParamSet& point : *points)
        resolveFiles(*info, point);
    auto target = chooseTarget(options.target);
    if (!target)
        return target.error();
    if (options.target.empty())
        *target = unaskedTarget(*info, *target);
    Prepared prepared{std::move(*info), {}, {}};
    prepared.request = {options.experiment,
                        *target,
                        options.seed,
                        std::move(*points),
                        options.save || options.resume,
                        {options.seconds, options.memoryMiB}};
    prepared.request.regime = options.regime;
    prepared.request.counters = options.counters;
    for (const auto& [name, value] : prepared.request.points.front())
        prepared.given.push_back(name);
    return prepared;
}

SampleEvent sampleOf(const record::RunRow& row)
{
    return {.index = 0,
            .params = row.params,
            .metrics = row.metrics,
            .limits = row.limits,
            .checks = row.checks,
            .validity = row.validity};
}

/// The points that were there before the run among those that it added, in the order of the sweep.
Result<void> addEarlier(const Prepared& prepared, const record::UnfinishedSweep& sweep, JobResult& result)
{
    std::vector<SampleEvent> all;
    for (const ParamSet& point : prepared.request.points) {
        const auto complete = completeParams(prepared.info.parameters, point, kindOfTarget(prepared.request.target));
        if (!complete)
            return complete.error();
        const auto ran = std::ranges::find(result.samples, *complete, &SampleEvent::params);
        const auto row = std::ranges::find(sweep.rows, *complete, &record::RunRow::params);
        if (ran != result.samples.end())
            all.push_back(*ran);
        else if (row != sweep.rows.end())
            all.push_back(sampleOf(*row));
    }
    result.samples = std::move(all);
    for (const record::RunRow& row : sweep.rows)
        if (row.validity != "valid" && result.validity == "valid")
            result.validity = row.validity;
    return {};
}

} // namespace

int runCommand(const RunOptions& options)
{
    if (!options.points.empty())
        return runPointsCommand(options);
    const auto prepared = prepare(options);
    if (!prepared)
        return report(prepared.error());
    std::unique_ptr<record::Store> store;
    if (options.save || options.resume) {
        auto opened = record::Store::open(homeFolder());
        if (!opened)
            return report(opened.error());
        store = std::move(*opened);
    }
    std::optional<record::UnfinishedSweep> unfinished;
    RunRequest request = prepared->request;
    if (options.resume) {
        auto found = record::unfinishedSweep(*store, prepared->info, request, {});
        if (!found)
            return report(found.error());
        unfinished = std::move(*found);
        if (unfinished)
            request.points = unfinished->missing;
        tell(unfinished ? std::to_string(unfinished->rows.size()) + " of " + std::to_string(unfinished->points()) +
                              " points are in the store, running the others"
                        : "no such sweep was stopped, running all points");
    }
    auto result = runJob(request, store.get(), unfinished ? unfinished->ids : record::RunContextIds(), true);
    if (!result)
        return report(result.error());
    if (unfinished)
        if (const auto added = addEarlier(*prepared, *unfinished, *result); !added)
            return report(added.error());
    if (options.json) {
        Json json = jobToJson(*result);
        if (store) {
            json["saved"] = Json::array();
            for (const record::RunRow& row : result->rows)
                json["saved"].push_back(row.id);
        }
        if (options.resume)
            json["resumed"] = unfinished ? unfinished->rows.size() : 0;
        printJson(json);
    } else {
        std::printf("%s on %s, %s\n\n%s", prepared->info.title.c_str(), result->started.target.c_str(),
                    std::string(toText(result->started.provenance)).c_str(),
                    jobTable(prepared->info, *result, prepared->given).c_str());
        if (store)
            std::printf("  saved: %zu runs in %s\n", result->rows.size(), store->folder().c_str());
    }
    const bool passed = std::all_of(result->checks.begin(), result->checks.end(),
                                    [](const CheckResult& check) { return check.passed; });
    if (!passed)
        std::fprintf(stderr, "ridge: a check of %s did not pass\n", options.experiment.c_str());
    return passed ? Done : Failed;
}

} // namespace ridge::cli
