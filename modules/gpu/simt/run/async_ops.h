// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

/// Asynchronous copies and mbarriers. Copies take effect when they are issued, which is one of the orders the PTX ISA
/// allows; groups and barriers are complete as soon as they can be. Addresses are 64-bit planes; those of shared
/// memory may be generic.
enum class AsyncOp : std::uint8_t {
    Copy,              ///< cp.async: b to, a from, c plane of the bytes read (kNone: all), flags bytes, e ignore-src
    BarrierInit,       ///< a, b count
    BarrierInvalidate, ///< a
    BarrierArrive,     ///< a, b count (kNone: 1), d old state (kNone), c bytes to expect (kNone), flags ArriveFlags
    BarrierExpect,     ///< a, b bytes
    BarrierComplete,   ///< a, b bytes
    BarrierTest,       ///< d predicate, a, b state or parity, flags bit 0: parity
    BarrierPending,    ///< d, a state
    BulkCopy,          ///< b to, a from, c bytes, e barrier (kNone), d ranks (16 bits; kNone: no multicast), flags
                       ///< BulkFlags; MemoryDetail: what a reduction does, with which elements
    TensorCopy,        ///< a map, b shared, e barrier (kNone), d as above, flags BulkFlags; coordinates in
                       ///< MemoryDetail::data, behind them with kBulkWindows the offsets, of 16 bits (kNone: zero);
                       ///< a reduction in MemoryDetail::atomic
    RemoteStore,       ///< st.async: a to, e barrier; MemoryDetail: count, operandB the values, of 32 bits …
    RemoteStoreWide,   ///< … or of 64
    RemoteReduce,      ///< red.async, the same with MemoryDetail::atomic
    RemoteReduceWide,
};
/// Nothing: nothing changes, a sign for the clock. Ranks: at the same place of each block of the cluster that e, a
/// plane of 16 bits, has a bit for.
enum ArriveFlags : std::uint32_t { kArriveDrops = 1, kArriveNothing = 2, kArriveRanks = 4 };
/// Pair: the barriers of a multicast are of the even or the odd block of each pair, as the one named is.
/// Rows: tile::gather4 and scatter4, a column and four rows as coordinates. Windows: im2col.
enum BulkFlags : std::uint32_t {
    kBulkToGlobal = 1,
    kBulkInside = 2,
    kBulkReduces = 4,
    kBulkPair = 8,
    kBulkRows = 16,
    kBulkWindows = 32
};

OpFunction findAsyncOp(AsyncOp op);

} // namespace ridge::gpu::simt
