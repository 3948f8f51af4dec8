// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

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

/// How the tensor cores of a chip add. PTX leaves order and rounding open; these follow what was measured. Products are
/// exact. In groups, products and accumulator are aligned to the largest exponent and cut off some bits below an f32's
/// last place; the sum of a group is exact, then cut off to an f32 or rounded to the nearest f16, and is the next
/// group's accumulator. Exponents of products are those of their factors added, so that a product in [2, 4) keeps a bit
/// more. Denormals count; overflow gives an infinity; any NaN, and infinities of both signs, give 0x7fffffff. A sum
/// that is zero or too small for an f32 is +0. Where addends of 8-bit floats keep 13 fraction bits, so does the f32.
///
/// | compute capability | group: f16, bf16 / tf32 / 8 bits | bits below an f32 (8 bits: fraction kept) | source |
/// | 7.0 | 4 / - / - | 0 | [1] [2], V100 |
/// | 7.5 | 4 / - / - | 1 | assumed: [1] has a T4, the models of [2] do not |
/// | 8.0, 8.6 | 8 / 4 / - | 1 | [1] [2], A100; [2] takes the A2 and A30 for the same |
/// | 8.9 | 8 / 4 / 16 | 1 (13 bits) | [2], L40S; the 13 bits of the f32 are assumed |
/// | 9.0 | 16 / 8 / 32 | 2 (13 bits) | [2]; equal to an H200, 2026-11-27, mma.sync and wgmma (8 bits: wgmma) |
/// | 10.0, 12.0 | 16 / 8 / 32 | 2 | [2], B200 and RTX PRO 6000 |
///
/// From 9.0 to 11.0 ptxas makes mma.sync of 8-bit floats into two products of halves (unpackedSum), as measured on an
/// H200; 10.0 is known from its SASS alone. The +0, and f64's NaN, are the H200's and taken for all.
///
/// [1] Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ Computer Science 7:e330,
/// 2021. [2] Khattak and Mikaitis, "Accurate Models of NVIDIA Tensor Cores", arXiv 2512.07004, 2025, with the
/// parameters of the models that are published beside it. Sparse products are assumed to add what is left of them the
/// same way.
struct TensorRules {
    unsigned groupBits = 128; ///< of operands: a group has so many divided by the bits of an element
    int extraBits = 1;
    int byteFraction = 13;     ///< fraction bits of aligned addends of 8-bit floats
    bool unpacksBytes = false; ///< mma.sync has no unit for 8-bit floats
};
TensorRules tensorRules(int computeCapability); ///< 10 * major + minor; 0: as 9.0

/// c + a[0]*b[0] + … + a[k-1]*b[k-1] as an f32, or where `half` is set as an f16 (each group's sum is one).
float tensorSum(const TensorRules& rules, Element element, const TensorTerm* a, Element elementB, const TensorTerm* b,
                unsigned k, float c, bool half = false);

/// A row of `k` 8-bit floats as the halves that mma.sync makes of them: the lower two bytes of each register are the
/// first half of the row, the upper two the second. A sparse row has its zeros in place: four of it are two bytes.
void unpackBytes(Element element, TensorTerm* terms, unsigned k, bool sparse);

/// tensorSum of rows that were unpacked: the two halves of k one after the other from zero, then c added to nearest.
float unpackedSum(const TensorRules& rules, const TensorTerm* a, const TensorTerm* b, unsigned k, float c, bool half);

/// D (m x n) = A (m x k, row by row) * B (n x k: transposed, row by row) + C, element bits in and out. Integers wrap
/// or saturate; f64 is a chain of fused multiply-adds, k ascending, in which a NaN stays the one it was.
struct TensorProduct {
    const MatrixDetail* detail = nullptr;
    const std::uint64_t* a = nullptr;
    const std::uint64_t* b = nullptr;
    const std::uint64_t* c = nullptr; ///< null: zero
    std::uint64_t* d = nullptr;
    unsigned m = 0, n = 0, k = 0;
    TensorRules rules{};
};
void multiply(const TensorProduct& product);

} // namespace ridge::gpu::simt
