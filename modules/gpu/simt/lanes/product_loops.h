// SPDX-License-Identifier: GPL-3.0-or-later
// The loops of products of matrices, sixteen sums side by side (run/tensor_lanes.h). Built as the lanes' loops are.
#pragma once

#include "gpu/simt/lanes/lanes.h"

#include <cstddef>
#include <cstdint>

namespace ridge::gpu::simt {

inline constexpr unsigned kSumLanes = 16;
inline constexpr std::int32_t kZeroExponent = -4096; ///< of a zero: below every other

/// Words of `pack` elements, made values; `stride` (a multiple of eight) of them a row. Element i of a word goes i rows
/// further on.
struct FloatDecoding {
    int fraction = 0, exponentBits = 0; ///< of the format
    bool hasInfinity = false;
    unsigned bits = 16, pack = 2, shift = 0;
    std::size_t rows = 0; ///< of words
    std::size_t stride = 0;
    const std::uint32_t* words = nullptr;
    float* values = nullptr;
    std::int32_t* mantissa = nullptr;
    std::int32_t* exponent = nullptr;
};

struct DecodedFloats {
    bool finite = true;
    std::int32_t lowest = 0, highest = 0; ///< exponents of what is not zero
};

/// A group of products, added to sixteen accumulators.
struct ProductGroup {
    const float* values = nullptr; ///< of the lanes; exponents and mantissas in the same places
    const std::int32_t* mantissa = nullptr;
    const std::int32_t* exponent = nullptr;
    std::size_t stride = 0;
    const float* otherValues = nullptr; ///< of the one row or column that all lanes are multiplied by
    const std::int32_t* otherMantissa = nullptr;
    const std::int32_t* otherExponent = nullptr;
    std::size_t otherStride = 0;
    unsigned count = 0;
    int fraction = 25; ///< of aligned addends
    int up = 0;        ///< fraction bits of them that products do not have
    bool isNarrow = false;
    bool half = false; ///< the sums are rounded to halves afterwards
};

struct GroupSums {
    alignas(64) std::uint32_t sums[kSumLanes]; ///< f32
    alignas(64) std::int32_t amiss[kSumLanes]; ///< not 0: this lane has to be added up by itself
    /// For a half alone, in units of 2^(top - fraction).
    alignas(64) std::int32_t first[kSumLanes], products[kSumLanes], tops[kSumLanes];
    bool isAmiss = false;
};

struct IntegerDecoding {
    unsigned bits = 8, pack = 4;
    bool isSigned = true;
    std::size_t rows = 0, stride = 0;
    const std::uint32_t* words = nullptr;
    std::int32_t* values = nullptr;
};

/// Products of `count` integers of each lane with those that all have in common, added up in 32 bits.
struct IntegerGroup {
    const std::int32_t* lanes = nullptr;
    std::size_t stride = 0;
    const std::int32_t* other = nullptr;
    std::size_t otherStride = 0;
    unsigned count = 0;
};

/// One build's loops.
struct ProductLoops {
    DecodedFloats (*decodeFloats)(const FloatDecoding&) = nullptr;
    void (*addGroup)(const ProductGroup&, GroupSums&) = nullptr; ///< to the accumulators in `sums`
    void (*decodeIntegers)(const IntegerDecoding&) = nullptr;
    void (*addIntegers)(const IntegerGroup&, std::int32_t* to) = nullptr;
};
namespace lanes_baseline {
ProductLoops productLoops();
}
namespace lanes_avx2 {
ProductLoops productLoops();
}
namespace lanes_avx512 {
ProductLoops productLoops();
}
ProductLoops productLoopsOf(LaneBuild build);
const ProductLoops& productLoops(); ///< of this processor

} // namespace ridge::gpu::simt
