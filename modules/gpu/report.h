// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ridge::gpu {

/// Where in a kernel something happened. Lines are 0 where they are not known.
struct ReportPlace {
    std::uint32_t sourceLine = 0;
    std::uint32_t ptxLine = 0;
    std::string instruction; ///< "st.shared.f32"
    std::string sourceText;  ///< the line itself; filled in by whoever has the source
};

/// Who did it. Grids and blocks are zero-based, x first.
struct ReportThread {
    std::array<std::uint32_t, 3> block{};
    std::array<std::uint32_t, 3> thread{};
    std::uint32_t warp = 0; ///< in the block
    std::uint32_t lane = 0;
};

/// The bytes that were touched and the allocation they belong to or lie nearest to.
struct ReportAccess {
    std::string space; ///< "global", "shared", "local"
    std::string kind;  ///< "read", "write", "update"
    std::uint32_t bytes = 0;
    std::uint64_t address = 0; ///< in shared and local memory: the offset
    std::string allocation;    ///< label of the nearest one; empty: none, or not global memory
    std::uint64_t allocationBegin = 0;
    std::uint64_t allocationBytes = 0;
    /// Bytes from the allocation: negative before its start, positive past its last byte, 0 inside.
    std::int64_t distance = 0;
    bool freed = false;
};

/// What a detector found. Codes, the same in JSON and docs/kernels.md:
///   out-of-bounds, misaligned, use-after-free, host-pointer, null-pointer     an address is wrong (fatal)
///   uninitialised-read     a value nobody wrote decides over an address, a branch or a stored value
///   array-overrun          an index leads from one array of shared memory into another
///   division-by-zero       an integer divided by zero
///   shared-race            two warps, one of them writing, no barrier between
///   global-race            the same for two blocks
///   unwatched-blocks       blocks have met at more places than the detectors keep: later races are not seen
///   barrier-deadlock       nobody in the block can go on (fatal)
///   divergent-barrier      lanes of a warp, or warps, meet at different barriers
///   never-resident-block   a wait for a block that cannot start before the wait ends (fatal)
///   endless-loop           the block's state repeats without a change to memory (fatal)
///   time-limit             it ran longer than allowed (fatal)
///   instruction-limit      it executed more warp instructions than allowed (fatal)
///   cycle-limit            it took more simulated cycles than allowed (fatal)
///   launch-limits          the launch asks for more than the chip or the kernel allows (fatal)
///   launch-failed          trap, bad barrier number, bad jump (fatal)
struct Report {
    std::string code;
    std::string message; ///< one paragraph: who did what where
    std::string lookFor; ///< what to look for
    std::string cuda;    ///< the error a GPU gives, "cudaErrorIllegalAddress"; empty where it gives none
    bool fatal = false;  ///< the launch stopped here
    std::string kernel;
    ReportPlace place;
    std::optional<ReportThread> thread;
    std::optional<ReportAccess> access;
    std::optional<ReportPlace> otherPlace; ///< the other side of a race, the other barrier
    std::optional<ReportThread> other;
    std::uint64_t count = 1; ///< how often: same code, same instruction
};

/// {code, message, look_for, cuda, fatal, kernel, source_line, source_text, ptx_line, instruction, block, thread, warp,
/// lane, space, access, bytes, address, allocation, …}: docs/kernels.md lists them. Absent parts are null.
Json toJson(const Report& report);

} // namespace ridge::gpu
