// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace ridge::gpu::simt {

/// One block of a launch that was timed in part, in cycles.
struct TimedBlock {
    std::uint64_t block = 0;
    std::uint32_t sm = 0;
    double begin = 0, end = 0;
    std::vector<double> turns; ///< when its warps went back, on the mean, turn by turn
};

/// Blocks of one kernel on a chip.
struct ReplayGrid {
    std::uint64_t blocks = 0;
    std::uint64_t turns = 0;    ///< of every block
    std::uint64_t resident = 1; ///< blocks that all SMs hold, as many each
    std::uint32_t sms = 1;
};

struct ReplayedLaunch {
    bool isKnown = false; ///< every block went through the loop, and the part itself comes out right
    double cycles = 0;    ///< of the whole launch
    double slope = 0;     ///< cycles that one more turn of every timed block takes
    double doubt = 0;     ///< in cycles
};

/// The whole launch from a part of it with fewer turns and maybe fewer blocks. Blocks of one SM do not go on alike:
/// older ones issue first, younger ones wait for what those leave, and who is alone is quicker. So how fast a block
/// goes through its loop is read off by how many blocks are beside it, how many of them have left their loops, and how
/// many are older. With these paces the launch is played again, block by block, for the part and for the whole; what
/// the part's own cycles differ by is added.
ReplayedLaunch replayLaunch(const std::vector<TimedBlock>& part, const ReplayGrid& timed, const ReplayGrid& whole);

} // namespace ridge::gpu::simt
