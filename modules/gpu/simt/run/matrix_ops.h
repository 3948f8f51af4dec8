// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

/// Tensor instructions of one warp. MicroOp::e is the index of a MatrixDetail; those that touch memory have a
/// MemoryDetail and an address as loads have.
enum class MatrixOp : std::uint8_t {
    Multiply,      ///< mma.sync, mma.sp, wmma.mma
    MultiplyQuads, ///< mma.m8n8k4 of f16; majorA: A is column-major, majorB: B is row-major
    LoadFragment,  ///< wmma.load
    StoreFragment, ///< wmma.store
    LoadRows,      ///< ldmatrix: planesD
    StoreRows,     ///< stmatrix: planesA
    Transpose,     ///< movmatrix: d, a
};
OpFunction findMatrixOp(MatrixOp op);

} // namespace ridge::gpu::simt
