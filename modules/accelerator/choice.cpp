// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/choice.h"

#include <algorithm>
#include <cmath>

namespace ridge::accelerator {

Result<ChoiceRun> runChoice(const ChoiceMachine& machine, const ChoiceWork& work, double chips, double atOnce,
                            double exchangeSeconds)
{
    if (!(machine.flopsPerS > 0) || !(machine.bytesPerS > 0) || !(machine.memoryBytes > 0))
        return Error{"bad-machine", machine.title + " has no peak, bandwidth or memory in this format", machine.id,
                     "take another machine or format"};
    ChoiceRun run;
    const double held = work.weightBytes + work.stateBytes;
    const double needed = std::max(1.0, std::ceil(held / machine.memoryBytes - 1e-9));
    run.chips = std::max(needed, chips);
    if (!machine.scales) {
        run.possible = needed <= 1;
        run.chips = 1;
    }
    run.breakEvenFlopsPerByte = machine.flopsPerS / machine.bytesPerS;
    switch (machine.kind) {
    case ChoiceKind::Memory:
        run.compute = work.flops / (machine.flopsPerS * run.chips);
        run.memory = held / (machine.bytesPerS * run.chips);
        if (run.chips > 1) {
            run.link = work.exchanges * exchangeSeconds;
            if (machine.linkBytesPerS > 0)
                run.link += 2 * (run.chips - 1) / run.chips * work.exchangeBytes / machine.linkBytesPerS;
        }
        break;
    case ChoiceKind::Lpu: {
        // A stage works while the others wait for this step's data: what counts is how many chips share a layer.
        const double together = std::clamp(atOnce, 1.0, run.chips);
        run.compute = work.flops / (machine.flopsPerS * together);
        run.memory = held / (machine.bytesPerS * together);
        run.link = (run.chips / together - 1) * exchangeSeconds;
        break;
    }
    case ChoiceKind::Wafer:
        if (held > machine.memoryBytes && chips < needed) {
            run.chips = std::max(1.0, chips);
            run.compute = work.flops / (machine.flopsPerS * run.chips);
            run.memory = held / machine.bytesPerS / run.chips;
            run.link = work.weightBytes / machine.streamBytesPerS; // each wafer takes in all weights
        } else {
            run.compute = work.flops / (machine.flopsPerS * run.chips);
            run.memory = held / (machine.bytesPerS * run.chips);
            run.link = work.exchanges * exchangeSeconds;
        }
        break;
    }
    const bool streamed = machine.kind == ChoiceKind::Wafer && held > machine.memoryBytes && chips < needed;
    const double inside = std::max(run.compute, run.memory);
    run.time = streamed ? std::max(inside, run.link) : inside + run.link;
    run.bound = run.link > inside           ? ChoiceBound::Link
                : run.compute >= run.memory ? ChoiceBound::Compute
                                            : ChoiceBound::Memory;
    run.utilization = work.flops / (run.time * machine.flopsPerS * run.chips);
    run.resultsPerS = work.results / run.time;
    run.joules = machine.watts * run.chips * run.time / work.results;
    return run;
}

} // namespace ridge::accelerator
