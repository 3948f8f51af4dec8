// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/kernel_image.h"

namespace ridge::gpu::simt {

unsigned bitsOf(Element element);    ///< in a register: TF32 has 32
bool isRealElement(Element element); ///< F16 … F64, E4M3, E5M2

/// One operand of a product: value = mantissa * 2^(exponent - fraction bits of its format), or neither finite nor a
/// number. f64 and integers do not come this way.
struct TensorTerm {
    std::int32_t mantissa = 0; ///< signed
    std::int16_t exponent = 0;
    bool isNan = false;
    bool isInfinite = false;
};
TensorTerm decodeTerm(Element element, std::uint32_t bits);

/// c + a[0]*b[0] + … + a[k-1]*b[k-1] as an f32, the way tensor cores are known to add.
///
/// PTX leaves order and rounding open. Modelled is what was measured on NVIDIA's tensor cores (Fasi, Higham, Mikaitis
/// and Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ Computer Science 2021): products are exact; in
/// groups of `group` of them, products and accumulator are aligned to the largest exponent and truncated there,
/// two bits below an f32's last place; the sum of a group is exact and truncated to an f32, which is the next group's
/// accumulator. Denormals count; overflow gives an infinity; any NaN, and infinities of both signs, give 0x7fffffff.
/// The group is 32 bytes of operands: 4 products of tf32, 8 of f16 and bf16, 16 of 8-bit floats, as on A100.
float tensorSum(Element element, const TensorTerm* a, Element elementB, const TensorTerm* b, unsigned k, float c);

/// D (m x n) = A (m x k, row by row) * B (n x k: transposed, row by row) + C, element bits in and out. Integers wrap
/// or saturate; f64 is a chain of fused multiply-adds, k ascending; an f16 result is the f32 sum rounded to nearest.
struct TensorProduct {
    const MatrixDetail* detail = nullptr;
    const std::uint64_t* a = nullptr;
    const std::uint64_t* b = nullptr;
    const std::uint64_t* c = nullptr; ///< null: zero
    std::uint64_t* d = nullptr;
    unsigned m = 0, n = 0, k = 0;
};
void multiply(const TensorProduct& product);

} // namespace ridge::gpu::simt
