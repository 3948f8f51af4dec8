// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"
#include "gpu/simt/run/tensor_math.h"

namespace ridge::gpu::simt {

/// Elements of kind::f8f6f4, mxf8f6f4, mxf4 and mxf4nvf4. Those of fewer than 8 bits lie in bytes where the kind has
/// "f8": 6 bits at the bottom, 4 bits two places up (PTX ISA, "mma.sync").
enum class SmallElement : std::uint8_t { E4M3, E5M2, E3M2, E2M3, E2M1 };

/// Power: ue8m0, a power of two. Float: ue4m3.
enum class ScaleType : std::uint8_t { None, Power, Float };
/// An element (its bits from the bottom) times its scale, brought to the fraction of an f16, which holds it:
/// tensorSum() takes such terms as Element::F16 with kSmallCarrierBits for each in TensorRules::groupBits.
TensorTerm smallTerm(SmallElement element, std::uint32_t bits, ScaleType type, std::uint32_t scale);
constexpr unsigned kSmallCarrierBits = 16;

/// What a product of small floats does, beyond its MatrixDetail, in MicroOp::imm; op.a and op.b are the planes of the
/// scales of A and B.
struct SmallProduct {
    SmallElement a = SmallElement::E4M3, b = SmallElement::E4M3;
    std::uint8_t scales = 0;               ///< of a row along k: 1, 2 or 4; 0: none
    bool isFine = false;                   ///< scales are ue4m3 in place of ue8m0
    std::uint8_t byteA = 0, byteB = 0;     ///< the first byte of the scales in their word
    std::uint8_t threadA = 0, threadB = 0; ///< which lanes of four hold them: of A a pair, of B one
};
std::int64_t packed(const SmallProduct& product);
SmallProduct unpacked(std::int64_t bits);

/// D = A * B + C as fragments of m16n8k32 (bytes) or m16n8k64 (4 bits), twice as deep where A is sparse. MatrixDetail:
/// a and b E4M3 or S4, for where elements lie. Scaled elements are exact; their products are added as tensorRules() has
/// it for as many of them as one instruction takes. That scales act before the sum is assumed.
OpFunction findSmallProduct();

/// cvt of two small floats to packed halves, exact: a 16 bits (of E2M1 the lower 8 hold both), d 32 bits; flags: the
/// SmallElement with SmallConvert.
enum SmallConvert : std::uint32_t { kSmallToBfloat = 8, kSmallRelu = 16 };
OpFunction findSmallConvert();

} // namespace ridge::gpu::simt
