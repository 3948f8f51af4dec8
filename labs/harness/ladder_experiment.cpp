// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/ladder_experiment.h"

#include "labs/harness/simulated_time.h"

namespace ridge::labs {

Result<void> LadderExperiment::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    const auto opened = open(params, context);
    if (!opened)
        return opened.error();
    LadderPoint& point = **opened;
    Buffers buffers(context.device());
    auto first = point.makeSet(buffers);
    if (!first)
        return first.error();
    gpu::Arm rung{point.arm, {std::move(*first)}};
    if (auto prepared = point.prepare(buffers); !prepared)
        return prepared;
    const auto done = executeOnce(context, rung.sets[0]);
    if (!done)
        return done.error();
    if (auto checked = point.check(); !checked)
        return checked;
    if (auto checked = buffers.checkGuards(context); !checked)
        return checked;
    context.progress(point.checkedShare, "checked against the CPU");
    point.report(*done);
    const std::uint64_t sets = setsToRotate(context.device().info(), point.touchedBytes(), point.heldBytes());
    if (auto rotated = rotate(rung, sets, [&] { return point.makeSet(buffers); }); !rotated)
        return rotated;
    std::vector<gpu::Arm> arms = point.references();
    arms.insert(arms.begin(), rung);
    const auto measured = measure(context, *done, arms);
    if (!measured)
        return measured.error();
    if (!measured->empty()) {
        point.reportOwnTime(measured->front(), rung.sets.size());
        point.reportTimes(*measured);
    }
    reportSimulated(context, done->heaviest());
    return {};
}

} // namespace ridge::labs
