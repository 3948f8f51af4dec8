// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"
#include "gpu/simt/lower/labels.h"

namespace ridge::gpu::simt {

/// A micro-op before the kernel is laid out.
struct PendingOp {
    MicroOp op;
    EndKind end = EndKind::Fall; ///< Fall: an ordinary micro-op
    std::uint32_t label = kNone; ///< Branch: label; Table: index of a table of labels
    bool counted = true;         ///< it is a PTX instruction
    bool addDynamicBase = false; ///< imm is relative to dynamic shared memory
    std::uint32_t ptxLine = 0;
    std::uint32_t sourceLine = 0;
    std::uint32_t text = 0;
    std::uint32_t function = 0, inlined = 0; ///< as OpPlace has them
    std::uint32_t statement = kNone;
    std::uint32_t record = kNone;
};

/// Cuts a kernel's micro-ops into basic blocks, puts these in order and says where each goes on. `entries`: the labels
/// of KernelImage::functions.
void layOut(std::vector<PendingOp> pending, const Labels& labels, const std::vector<std::uint32_t>& entries,
            KernelImage& image);

} // namespace ridge::gpu::simt
