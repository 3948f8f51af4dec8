// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/check/checker.h"

namespace ridge::gpu::simt {

/// The addresses of one access, each in its own space.
struct Checker::Lanes {
    std::uint32_t mask = 0;
    std::array<std::uint64_t, kWarpSize> address{};
    std::array<Space, kWarpSize> space{};
    std::array<BlockShadow*, kWarpSize> block{}; ///< whose shared memory it is; null: nobody's, a fault in a moment
};

} // namespace ridge::gpu::simt
