// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

struct Warp;

/// Which part of a clock register an instruction reads (MicroOp::flags). %globaltimer counts as if a cycle were 1 ns.
enum class ClockPart : std::uint32_t { Low, High, Whole };

/// What does not fit elsewhere. Addresses are 64-bit planes.
enum class MiscOp : std::uint8_t {
    Clock,    ///< d; flags: ClockPart
    Hint,     ///< nothing: prefetch, discard, pmevent, commit and wait of copies that are already done …
    IsShared, ///< d predicate, a generic address; of the block itself
    IsLocal,
    IsGlobal,
    IsConst, ///< also of parameters: no generic address of constants is handed out
    IsParam,
    IsClusterShared,
    Elect,     ///< d leader, e predicate, imm plane of the member mask
    MapRank,   ///< mapa: d = what a is in the block of rank b; flags bit 0: generic addresses
    RankOf,    ///< getctarank: d (32 bits) = rank of the block that a names; flags bit 0: generic addresses
    PairMove,  ///< 128-bit d from a (low) and b (high)
    PairSplit, ///< d (low) and b (high) from 128-bit a
    PairCopy,  ///< 128-bit d from a
    // The stack of a thread; plane b (64 bits) holds how many bytes are taken. flags: bytes of d or a, 4 or 8.
    StackTake, ///< alloca: d = the address of a bytes at a multiple of imm
    StackSave, ///< d = the lowest address that is taken
    StackBack, ///< stackrestore of a
};
OpFunction findMiscOp(MiscOp op);

/// Calls to functions of CUDA's device runtime. Arguments and result lie in the thread's local memory at offsets a, b,
/// c, e and d past the address in plane imm (kNone: past 0).
enum class SystemCall : std::uint8_t { Printf, Malloc, Free, AssertFail };
OpFunction findSystemCall(SystemCall call);

/// A value that a printf takes from its list, as the format asks for it.
struct PrintedValue {
    std::uint64_t address = 0; ///< generic
    std::uint32_t bytes = 0;
};
std::vector<PrintedValue> printedValues(Warp& warp, const MicroOp& op, std::size_t lane);

} // namespace ridge::gpu::simt
