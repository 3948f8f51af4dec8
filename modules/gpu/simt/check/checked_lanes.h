// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/check/checker.h"

#include <span>

namespace ridge::gpu::simt {

/// The `bytes` of a shadow from `address` on; empty where they are not all there, whatever the caller thinks: what the
/// executor refuses in a moment, or has accepted by another rule, must not lead out of the detectors' own memory.
template<class Shadow>
auto part(Shadow& shadow, std::uint64_t address, std::uint64_t bytes)
{
    std::span all(shadow);
    const bool isInside = address <= all.size() && bytes <= all.size() - address;
    return isInside ? all.subspan(address, bytes) : all.subspan(0, 0);
}

/// The addresses of one access, each in its own space.
struct Checker::Lanes {
    std::uint32_t mask = 0;
    std::array<std::uint64_t, kWarpSize> address{};
    std::array<Space, kWarpSize> space{};
    std::array<BlockShadow*, kWarpSize> block{}; ///< whose shared memory it is; null: nobody's, a fault in a moment
};

} // namespace ridge::gpu::simt
