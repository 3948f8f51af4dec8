// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/sm_state.h"
#include "gpu/timing_report.h"

#include <vector>

namespace ridge::gpu::simt {

/// What one SM says of a launch that was timed in part.
struct SmTurns {
    std::uint64_t lastCycle = 0;
    std::vector<std::vector<TurnTally>> turns; ///< Sm::turnTally
};

/// A timed part: some turns of every block's loop, and some waves.
struct TimedTurns {
    std::uint64_t cycles = 0;
    std::uint64_t resident = 1; ///< blocks of a wave
    std::vector<SmTurns> sms;
    std::vector<BlockSpan> blocks;
};

/// Turns by which the rest is drawn: as long from `first` to `middle` as from there to `last`.
struct TurnWindow {
    std::size_t first = 0, middle = 0, last = 0;
};

/// What was left out.
struct LeftOut {
    double turns = 0; ///< of every block
    double waves = 0; ///< whole ones
};

struct DrawnTurns {
    bool isKnown = false;       ///< every warp went through the window
    double cycles = 0;          ///< of the whole launch
    double slope = 0;           ///< cycles that one more turn of every timed block takes
    double doubt = 0;           ///< in cycles: what the turns were still changing by, and the waves
    bool hasSteadyWave = false; ///< a wave that did not begin with the launch was timed as good as whole
};

/// The whole launch from a part of it: turns take what they take in the window, moved on by half of what they have
/// changed in it (what is not steady yet fades with the square of the turns); waves take what the first takes with the
/// start of the second. A launch of one wave ends with the SM that is last when each goes on at its own pace, as far as
/// SMs keep their pace from one half of the window to the other.
DrawnTurns drawTurns(const TimedTurns& part, const TurnWindow& window, const LeftOut& left);

} // namespace ridge::gpu::simt
