// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

/// ldmatrix and stmatrix of rows of sixteen elements of a byte or less (PTX ISA, "ldmatrix", "stmatrix"). A matrix has
/// a row of 16 bytes for each lane that gives an address: sixteen (m16n16) or eight. Elements of 4 and 6 bits lie
/// packed at the start of their row and become the lower bits of a byte.
enum class RowElement : std::uint8_t { Byte, Six, Four };
/// MicroOp::flags: the element with kRowsTurned (m16n16: registers go down the columns); MatrixDetail: planesD, of
/// stmatrix planesA; the address as matrix_ops.h has it.
enum RowFlags : std::uint32_t { kRowsTurned = 4 };

/// Lane 4g + t has elements 4t … 4t + 3 of row g of a matrix of eight rows. Of one of sixteen, turned, it has rows 4t …
/// 4t + 3 of column g in its first register and of column g + 8 in its second.
OpFunction findByteRowsLoad();
/// m16n8 .trans: rows 2t and 2t + 1 of column g, then of column g + 8.
OpFunction findByteRowsStore();

} // namespace ridge::gpu::simt
