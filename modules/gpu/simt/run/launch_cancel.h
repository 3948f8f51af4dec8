// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

/// clusterlaunchcontrol (PTX ISA): a block asks for the place of one that has not started. The ISA lets a request fail,
/// and here each one does: all blocks of a grid start by themselves. The answer has 128 bits, which PTX leaves open;
/// here three words of blockIdx and a fourth that is 1 where a launch was cancelled, so that all zero says no.
enum class CancelOp : std::uint8_t {
    Try,   ///< b where the answer goes, e mbarrier, 64-bit planes; flags: 1: in all blocks of the cluster
    Asks,  ///< d predicate, a 128 bits: was one cancelled?
    First, ///< d 32 bits, a 128 bits, flags: which word
};
OpFunction findCancelOp(CancelOp op);

/// st.bulk: a address, c bytes (64-bit planes); shared memory that becomes zero.
OpFunction findBulkFill();

} // namespace ridge::gpu::simt
