// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "base/trace.h"
#include "gpu/simt/ptx/types.h"
#include "gpu/simt/run/phases.h"

namespace ridge::gpu::simt {

/// What functional execution tells the timing model about one warp, in the order in which it happened.
///
/// The functional side runs ahead of the clock by a bounded amount: the timing model asks a block for more when a
/// warp's stream runs dry, always at a point of the simulation that does not depend on host threads. Values therefore
/// never depend on host timing, and what a kernel computes is what the functional mode alone would compute.

/// A group of lanes ran micro-ops [from, end) of one basic block together.
struct Visit {
    std::uint32_t from = 0;
    std::uint32_t end = 0; ///< one past the last micro-op executed; the block's `end` + 1 when its terminator ran too
    std::uint32_t mask = 0;
    std::uint32_t accesses = 0; ///< entries of WarpStream::accesses that belong to this visit
};

/// One warp-level memory instruction, reduced to what caches and banks need; or a match.any, of which only `wavefronts`
/// says something: how many values differ.
struct Access {
    std::uint32_t microOp = 0;
    Space space = Space::Global; ///< resolved: never Generic; match.any: Param
    MemoryOp op = MemoryOp::Load;
    std::uint8_t bytes = 4;        ///< a lane
    std::uint8_t lanes = 0;        ///< active
    std::uint16_t wavefronts = 0;  ///< shared, global: passes through the banks; else distinct words
    std::uint16_t sameAddress = 0; ///< atomics: most lanes that meet in one word
    std::uint16_t lineCount = 0;   ///< entries of WarpStream::lines that follow for this access
    std::uint32_t bulkBytes = 0;   ///< moved by the copy engine or read by wgmma, not by lanes
    bool isRemote = false;         ///< shared memory of another block of the cluster
    std::uint8_t least = 0;        ///< what `wavefronts` would be had no two lanes met in a bank
};

/// A 128-byte line and which of its four 32-byte sectors are touched: (address / 128) << 4 | sector bits.
using LineTouch = std::uint64_t;

/// An arrival at a barrier of the block.
struct BarrierPass {
    std::uint32_t visit = 0; ///< number of the visit, counted from the warp's start, whose terminator arrived
    std::uint32_t id = 0;
    std::uint32_t generation = 0; ///< how often the barrier had opened before
    bool waits = true;            ///< false: bar.arrive, or other lanes of the warp go on
};

/// A bounded queue of one warp's past. Consumers pop whole visits.
struct WarpStream {
    std::vector<Visit> visits;
    std::vector<Access> accesses;
    std::vector<LineTouch> lines;
    std::vector<BarrierPass> barriers;
    std::vector<PhaseNote> phases;
    std::uint32_t firstVisit = 0; ///< number of visits.front(): consumers raise it when they drop visits
    bool finished = false;        ///< every lane has exited; nothing more will come

    /// For the next warp, which fills about as much memory.
    void restart()
    {
        visits.clear();
        accesses.clear();
        lines.clear();
        barriers.clear();
        phases.clear();
        firstVisit = 0;
        finished = false;
    }
};

} // namespace ridge::gpu::simt
