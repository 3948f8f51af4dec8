// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/trace.h"

namespace ridge::gpu::simt {

/// The byte addresses of one warp-level access. Regular ones are worth knowing, because they are what most kernels make
/// and everything about them has a closed form: every lane active, lanes in rows of 32, 16 or 8, evenly spaced in a
/// row and from row to row, as blocks of 16 or 8 threads in x give them.
struct LaneAddresses {
    std::uint32_t mask = 0;
    std::uint32_t bytes = 4; ///< a lane, naturally aligned
    bool regular = false;    ///< address[i] = address[0] + i % rowLanes * stride + i / rowLanes * rowStride
    std::uint32_t rowLanes = kWarpSize;
    std::int64_t stride = 0;
    std::int64_t rowStride = 0;                   ///< 0 where there is one row
    std::uint64_t least = 0;                      ///< smallest address of an active lane
    std::uint64_t greatest = 0;                   ///< largest
    std::array<std::uint64_t, kWarpSize> address; ///< those of inactive lanes mean nothing
};

/// Fills in what follows from mask and address.
void analyse(LaneAddresses& lanes);

/// Distinct granules of 1 << shift bytes (>= bytes): the size of touchedGranules() of gpu/access.h.
std::uint32_t countGranules(const LaneAddresses& lanes, unsigned shift);

/// Wavefronts of 32 banks of 4 bytes, as serveBanks() of gpu/access.h counts them.
struct BankCount {
    std::uint32_t wavefronts = 0;
    std::uint32_t minimum = 0;
};
BankCount countBanks(const LaneAddresses& lanes);

} // namespace ridge::gpu::simt
