// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/sm_state.h"

#include <vector>

namespace ridge::gpu::simt {

/// What one SM says of a launch of one wave that was timed in part.
struct SmTurns {
    std::uint64_t lastCycle = 0;
    std::vector<TurnTally> turns; ///< of all its blocks
};

/// A timed part: some turns of every block's loop.
struct TimedTurns {
    std::uint64_t cycles = 0;
    std::vector<SmTurns> sms;
};

/// Turns by which the rest is drawn: as long from `first` to `middle` as from there to `last`.
struct TurnWindow {
    std::size_t first = 0, middle = 0, last = 0;
};

struct DrawnTurns {
    bool isKnown = false; ///< every warp went through the window
    double cycles = 0;    ///< of the whole launch
    double slope = 0;     ///< cycles that one more turn of every block takes
    double doubt = 0;     ///< in cycles: what the turns were still changing by
};

/// The whole launch from a part of it, where `left` turns of every block were left out: turns take what they take in
/// the window, moved on by half of what they have changed in it (what is not steady yet fades with the square of the
/// turns). The launch ends with the SM that is last when each goes on at its own pace, as far as SMs keep their pace
/// from one half of the window to the other.
DrawnTurns drawTurns(const TimedTurns& part, const TurnWindow& window, double left);

} // namespace ridge::gpu::simt
