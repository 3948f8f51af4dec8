// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/resume.h"

#include "base/target_choice.h"

#include <algorithm>

namespace ridge::record {
namespace {

/// Reading five hundred rows takes some 20 ms; a sweep that was stopped is among the last things that were done.
constexpr std::size_t kLookedAt = 512;

struct Sweep {
    std::string id;
    std::vector<const RunRow*> finished; ///< newest first
    bool failed = false, foreign = false;
};

/// Runs that were timed otherwise do not belong on one curve. Only what is measured has a regime.
bool sameRegime(const RunRow& row, Regime wanted)
{
    const Json& fingerprint = *row.fingerprint;
    const auto regime = fingerprint.is_object() ? fingerprint.find("regime") : fingerprint.end();
    return regime == fingerprint.end() || *regime == toText(wanted);
}

/// Newest first.
std::vector<Sweep> sweepsOf(const std::vector<RunRow>& rows, const RunContextIds& ids, const ExperimentInfo& info,
                            const RunRequest& request, const std::string& origin)
{
    std::vector<Sweep> sweeps;
    for (const RunRow& row : rows) {
        if (row.sweepId.empty() || row.seed != request.seed || row.lesson != ids.lesson || row.block != ids.block ||
            row.predictionId != ids.predictionId)
            continue;
        auto known = std::find_if(sweeps.begin(), sweeps.end(), [&](const Sweep& s) { return s.id == row.sweepId; });
        if (known == sweeps.end())
            known = sweeps.insert(sweeps.end(), Sweep{row.sweepId, {}});
        known->foreign |= row.origin != origin || !sameRegime(row, request.regime) ||
                          (row.status == "finished" && row.version != info.version);
        if (row.status == "finished")
            known->finished.push_back(&row);
        else
            known->failed = true;
    }
    return sweeps;
}

} // namespace

Result<std::optional<UnfinishedSweep>> unfinishedSweep(const Store& store, const ExperimentInfo& info,
                                                       const RunRequest& request, RunContextIds ids)
{
    if (request.points.size() < 2)
        return std::optional<UnfinishedSweep>();
    std::vector<ParamSet> wanted;
    for (const ParamSet& point : request.points) {
        auto complete = completeParams(info.parameters, point, kindOfTarget(request.target));
        if (!complete)
            return complete.error();
        wanted.push_back(std::move(*complete));
    }
    const std::size_t limit = std::min(kLookedAt, 2 * wanted.size() + 64);
    const auto rows = store.runs({.experiment = request.experiment,
                                  .lesson = ids.lesson,
                                  .block = ids.block,
                                  .target = request.target,
                                  .limit = static_cast<int>(limit)});
    if (!rows)
        return rows.error();
    for (const Sweep& sweep : sweepsOf(*rows, ids, info, request, store.origin())) {
        const bool within = std::all_of(sweep.finished.begin(), sweep.finished.end(), [&](const RunRow* row) {
            return std::find(wanted.begin(), wanted.end(), row->params) != wanted.end();
        });
        if (sweep.foreign || !within || sweep.finished.empty() || (sweep.finished.size() == 1 && !sweep.failed))
            continue;
        UnfinishedSweep found{ids, {}, {}};
        found.ids.sweepId = sweep.id;
        // Its oldest rows may lie beyond those looked at.
        const auto all = store.runs({.sweepId = sweep.id});
        if (!all)
            return all.error();
        for (ParamSet& point : wanted) {
            const auto row = std::find_if(all->begin(), all->end(), [&](const RunRow& each) {
                return each.status == "finished" && each.params == point;
            });
            if (row == all->end())
                found.missing.push_back(std::move(point));
            else
                found.rows.push_back(*row);
        }
        // The newest such sweep decides: behind a complete one nobody looks for an older half.
        return found.missing.empty() ? std::optional<UnfinishedSweep>() : std::optional(std::move(found));
    }
    return std::optional<UnfinishedSweep>();
}

} // namespace ridge::record
