// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/trace.h"

namespace ridge::gpu {

/// The rules by which a warp's addresses become memory traffic. Pure functions, one owner: the simulator counts with
/// them and the scenes draw with them, so picture and number cannot differ.
///
/// Sectors of 32 B and lines of 128 B: NVIDIA CUDA Programming Guide (global memory) and Nsight Compute's
/// l1tex__t_sectors / l1tex__t_requests. 32 banks of 4 B, 8-byte accesses served as two half-warps and 16-byte as
/// four quarter-warps: published to reproduce l1tex__data_pipe_lsu_wavefronts (RRZE gpu-benches; docs/validation.md).

/// Distinct sectors (or lines) touched by the active lanes, ascending, as address / granule.
std::vector<std::uint64_t> touchedGranules(const MemoryRequest& request, std::uint32_t granuleBytes);

/// How shared memory serves one request.
struct BankService {
    std::uint32_t wavefronts = 0;        ///< passes through the data stage, all phases together
    std::uint32_t minimumWavefronts = 0; ///< phases with an active lane: 1 (≤4 B), up to 2 (8 B), up to 4 (16 B)
    std::array<std::uint8_t, kWarpSize> wavefrontOfLane{}; ///< in which pass (0-based) each active lane is served
};

/// Distinct words that fall into one bank need one pass each; lanes that read the same word share it (broadcast).
BankService serveBanks(const MemoryRequest& request, std::uint32_t banks = 32, std::uint32_t bankBytes = 4);

} // namespace ridge::gpu
