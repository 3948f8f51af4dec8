// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace ridge::gpu::simt {

/// The steady state of a launch that was not simulated to its end.
struct Steady {
    bool known = false;
    double cyclesPerBlock = 0; ///< of the whole chip
    double deviation = 0;      ///< standard error of cyclesPerBlock, from wave to wave
};

/// From the cycles at which blocks ended (ascending), leaving out the first `resident` of them, which started
/// together, and of four further waves and more the first half. Known from one whole further wave on.
Steady steadyState(const std::vector<std::uint64_t>& completions, std::uint64_t resident);

} // namespace ridge::gpu::simt
