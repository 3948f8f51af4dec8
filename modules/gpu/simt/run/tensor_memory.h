// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

/// Tensor memory of a block: 128 lanes of 512 columns of 32 bits (PTX ISA, "Tensor Memory"). Addresses have the lane
/// above bit 16 and the column below. What is not allocated is refused; what is and was never written is NaN.
/// Everything is done when it is issued.
enum class TensorMemoryOp : std::uint8_t {
    Allocate,   ///< a where in shared memory the address goes, b columns
    Free,       ///< a address, b columns
    Relinquish, ///< no more allocations of the block
    Load,       ///< a address; MatrixDetail (e): planesD, a column each
    Store,      ///< a address; planesA
    Multiply, ///< a address of D, b descriptor or address of A, c descriptor of B, d instruction descriptor, e detail,
              ///< flags TensorKind; imm plane of the predicate that keeps D, its flip in bit 32
};
enum TensorKind : std::uint32_t { kTensorHalf, kTensorTf32, kTensorBytes, kTensorIntegers, kTensorA = 16 };
OpFunction findTensorMemoryOp(TensorMemoryOp op);

} // namespace ridge::gpu::simt
