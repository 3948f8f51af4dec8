// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/handed_in_runs.h"

#include "base/json.h"
#include "base/target_choice.h"
#include "base/target_kind.h"
#include "classroom/request_executor.h"

#include <algorithm>
#include <map>

namespace ridge::classroom {
namespace {

bool hasKey(const Json& fingerprint, const char* key)
{
    if (!fingerprint.is_object())
        return false;
    const auto target = fingerprint.find("target");
    return target != fingerprint.end() && target->is_object() && target->contains(key);
}

bool isFinished(const record::RunRow& run)
{
    return run.status == "finished";
}

} // namespace

std::string contradictionOf(const record::RunRow& run)
{
    const TargetKind* const kind = kindOf(run.target);
    if (!kind)
        return "there is no target like it";
    if (run.provenance != kind->provenance)
        return "the record says " + std::string(toText(run.provenance)) + ", and such a target is " +
               std::string(toText(kind->provenance));
    if (kind->provenance != Provenance::Measured)
        return {};
    // A simulator's fingerprint names it, a model's says so; a GPU's and a processor's have neither.
    if (hasKey(*run.fingerprint, "simulator"))
        return "the record says MEASURED, and its machine is a simulator";
    for (const auto& [name, value] : run.metrics)
        if (value.provenance == Provenance::Simulated || value.provenance == Provenance::Recorded)
            return "the record says MEASURED, and its " + name + " is " + std::string(toText(value.provenance));
    return {};
}

bool isRepeatable(const record::RunRow& run)
{
    return isFinished(run) && (run.provenance == Provenance::Simulated || run.provenance == Provenance::Modelled) &&
           contradictionOf(run).empty();
}

bool isMeasured(const record::RunRow& run)
{
    return isFinished(run) && run.provenance == Provenance::Measured && contradictionOf(run).empty();
}

std::vector<Sequence> sequencesOf(const std::vector<record::RunRow>& runs)
{
    // A request has one experiment, target and seed: rows of another that name the same sweep are another request, and
    // are run again as well.
    using Key = std::tuple<std::string, std::string, std::string, std::string, std::uint64_t>;
    std::map<Key, std::vector<const record::RunRow*>> requests; // by origin and sweep first
    for (const record::RunRow& run : runs)
        if (isRepeatable(run) || isMeasured(run))
            requests[{run.origin, run.sweepId.empty() ? run.id : run.sweepId, run.experiment, run.target, run.seed}]
                .push_back(&run);
    std::vector<Sequence> all;
    for (auto& [key, rows] : requests) {
        std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->seq < b->seq; });
        Sequence sequence;
        const record::RunRow& first = *rows.front();
        // What ran on the simulator of another computer runs on this one's.
        sequence.request = {
            first.experiment, splitTarget(first.target).local, compilerOf(*first.fingerprint), first.seed, {}};
        for (const record::RunRow* row : rows)
            sequence.request.points.push_back(row->params);
        sequence.rows = std::move(rows);
        all.push_back(std::move(sequence));
    }
    return all;
}

} // namespace ridge::classroom
