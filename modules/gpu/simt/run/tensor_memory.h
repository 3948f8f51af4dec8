// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

/// Tensor memory of a block: 128 lanes of 512 columns of 32 bits (PTX ISA, "Tensor Memory"). Addresses have the lane
/// above bit 16 and the column below. What is not allocated is refused; what is and was never written is NaN.
/// Everything is done when it is issued. With kTensorPair it is done in both blocks of a pair.
enum class TensorMemoryOp : std::uint8_t {
    Allocate,   ///< a where in shared memory the address goes, b columns
    Free,       ///< a address, b columns
    Relinquish, ///< no more allocations of the block
    Load,       ///< a address; MatrixDetail (e): planesD; flags TensorShape, TensorMoveFlags; imm bytes to the second
                ///< half. What .red makes of the columns of a lane goes to the last of planesD
    Store,      ///< a address; planesA; flags, imm as above
    Copy,       ///< a address, b descriptor; flags TensorCopy, kTensorFours, kTensorSixes
    Shift,      ///< a address
    Multiply,   ///< a address of D, b descriptor or address of A, c descriptor of B, d instruction descriptor, flags
                ///< TensorKind; imm plane of the predicate that keeps D, its flip in bit 32; MatrixDetail (e): planesA
                ///< lanes of D that stay as they are, planesB addresses of the scales of A and B, n how many scales a
                ///< row has, selector by how many powers of two D is divided first; with kTensorStationary planesB is
                ///< the zero-column mask descriptor, where there is one
};
enum TensorKind : std::uint32_t {
    kTensorHalf,
    kTensorTf32,
    kTensorBytes,
    kTensorIntegers,
    kTensorScaled,          ///< mxf8f6f4
    kTensorScaledFours,     ///< mxf4
    kTensorFineFours,       ///< mxf4nvf4
    kTensorA = 16,          ///< A lies in tensor memory
    kTensorPair = 32,       ///< .cta_group::2
    kTensorStationary = 64, ///< .ws
};
/// Loads and stores.
enum class TensorShape : std::uint8_t { Lanes32x32, Lanes16x64, Lanes16x128, Lanes16x256, Lanes16x32x2 };
/// Rows64Far: .warpx2::02_13, Rows64Near: .warpx2::01_23, Rows32x128: .warpx4.
enum class TensorCopy : std::uint8_t { Rows128x256, Rows4x256, Rows128x128, Rows64Far, Rows64Near, Rows32x128 };
enum TensorMoveFlags : std::uint32_t {
    kTensorShape = 15,
    kTensorPacks = 64,        ///< .pack::16b, .unpack::16b
    kTensorFours = 128,       ///< .b8x16.b4x16_p64
    kTensorSixes = 256,       ///< .b8x16.b6x16_p32
    kTensorReduces = 512,     ///< .red, of unsigned numbers to the least one
    kTensorMost = 1024,       ///< .max
    kTensorSigned = 2048,     ///< .s32
    kTensorFloats = 4096,     ///< .f32
    kTensorMagnitudes = 8192, ///< .abs
    kTensorKeepsNan = 16384,  ///< .NaN
};
OpFunction findTensorMemoryOp(TensorMemoryOp op);

} // namespace ridge::gpu::simt
