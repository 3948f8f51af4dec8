// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

/// wgmma.mma_async of one of the four warps of a group: its sixteen rows of D. Takes effect when it is issued.
/// MicroOp::e is the index of a MatrixDetail whose m is 64.
OpFunction findWarpgroupMultiply();
/// The same without the product: it waits and reads as that does, and leaves D as it is.
OpFunction findWarpgroupRead();

/// A matrix in shared memory as a descriptor of wgmma gives it (PTX ISA, "Matrix Descriptor Format"; the canonical
/// layouts are those of its section on asynchronous warpgroup matrices).
struct MatrixDescriptor {
    std::uint64_t start = 0;   ///< bytes
    std::uint64_t leading = 0; ///< bytes
    std::uint64_t stride = 0;  ///< bytes
    unsigned span = 16;        ///< bytes of a row of the swizzle pattern: 16 (none), 32, 64, 128
};
MatrixDescriptor decodeDescriptor(std::uint64_t bits);
/// Offset in shared memory of the element at (outer, k): row of A or column of B, K-major, or where `outerMajor` is set
/// with neighbours along `outer`. `bytes` is the size of an element.
std::uint64_t elementOffset(const MatrixDescriptor& d, bool outerMajor, unsigned bytes, unsigned outer, unsigned k);

} // namespace ridge::gpu::simt
