// SPDX-License-Identifier: GPL-3.0-or-later
// Managed memory: blocks of 2 MiB that move to the GPU when a kernel touches them, and back to the host when the GPU
// is full. Every touch of every block is played; times are counts multiplied by what one of them costs.
//
// What is played is what NVIDIA's open driver (nvidia-uvm) does on a PC:
//  - A fault brings 64 KiB. As soon as more than half of a larger, aligned part of the block is there or on its way,
//    the rest of that part comes with it (the density tree; uvm_perf_prefetch_threshold is 51 %).
//  - Arrays that a kernel reads side by side fault together, and one group of faults serves them all.
//  - Room is made by whole blocks, and an evicted block is copied to the host, written or not: a page has one place.
//  - The copy out, the copy in and the service of the faults follow one another.
// Not played: faults that come while others are served, copies both ways at once, access counters, hints.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <vector>

namespace ridge::memory {

constexpr std::int64_t kManagedBlock = 2 << 20, kManagedLeaf = 64 << 10; // B

/// Which block makes room: the one that came first, as the driver has it, which does not see the touches of a block
/// that is there; or the one that was touched least recently.
enum class ManagedEviction { Migrated, Used };

/// Stream: each pass from begin to end. BackAndForth: every second pass from end to begin. Tiled: all passes over what
/// fits, then over the next part.
enum class ManagedOrder { Stream, BackAndForth, Tiled };

struct ManagedMachine {
    std::int64_t capacity = 0; ///< B of device memory
    double bytesPerS = 0;      ///< of device memory, as a kernel gets it
    double linkBytesPerS = 0;  ///< of one copy, each way
    double faultSeconds = 0;   ///< service of a group of faults
};

struct ManagedUse {
    std::int64_t bytes = 0; ///< of all arrays; rounded down to whole blocks of each
    int arrays = 3;         ///< of one size, walked side by side
    int passes = 4;         ///< that are counted; one more fills the memory before
    ManagedOrder order = ManagedOrder::Stream;
    ManagedEviction evict = ManagedEviction::Migrated;
    bool prefetched = false; ///< blocks are asked for before their turn: no faults, the same copies
};

/// Of all counted passes together.
struct ManagedCost {
    std::int64_t touched = 0;     ///< blocks, once a pass
    std::int64_t movedIn = 0;     ///< blocks
    std::int64_t movedOut = 0;    ///< blocks
    std::int64_t faultGroups = 0; ///< that were served
    double copySeconds = 0, faultSeconds = 0, readSeconds = 0;

    double seconds() const { return copySeconds + faultSeconds + readSeconds; }
};

/// Sizes in B of the copies that bring a block which is read from its begin to its end.
std::vector<std::int64_t> managedFaultSizes();

/// Errors: "bad-use" with what does not fit.
Result<ManagedCost> playManaged(const ManagedMachine& machine, const ManagedUse& use);

} // namespace ridge::memory
