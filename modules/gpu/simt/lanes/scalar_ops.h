// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lanes/lanes.h"

#include <bit>

namespace ridge::gpu::simt {

template<class T>
T* scalarPlane(WarpRegisters& warp, std::uint32_t offset)
{
    return reinterpret_cast<T*>(warp.file + offset);
}

/// Calls f(lane) for each lane of `mask`, ascending.
template<class F>
void forLanes(std::uint32_t mask, F f)
{
    for (; mask != 0; mask &= mask - 1)
        f(std::countr_zero(mask));
}

inline constexpr std::uint32_t kNanSingle = 0x7fffffffu;
inline constexpr std::uint64_t kNanDouble = 0xfff8000000000000u;

std::uint32_t flushSingle(std::uint32_t bits); ///< a denormal becomes a zero of its sign
/// Bits of a result: one NaN pattern, .sat and .ftz applied.
std::uint32_t finishSingle(float value, const ArithmeticSpec& spec);
std::uint64_t finishDouble(double value);

OpFunction findDirectedOp(const LaneKey& key);     ///< f32 and f64, rounding other than to nearest
OpFunction findConvertOp(const LaneKey& key);      ///< every conversion
OpFunction findHalfOp(const LaneKey& key);         ///< f16, bf16, f16x2, bf16x2 (half_ops.cpp)
OpFunction findSignedExtremum(const LaneKey& key); ///< min, max.xorsign.abs.f32
OpFunction findTestOp(const LaneKey& key);         ///< testp, slct (test_ops.cpp)
OpFunction findRareBitOp(const LaneKey& key);      ///< dp2a, mul24, mad24, bmsk, szext, fns (rare_bits.cpp)
OpFunction findWordPairOp(const LaneKey& key);     ///< u16x2, s16x2
OpFunction findApproximateOp(const LaneKey& key);  ///< rsqrt.f64, gross f64 reciprocals

/// Exactly rounded pieces for conversions.
float singleFromDouble(double value, Rounding rounding);
float singleFromInteger(std::uint64_t bits, bool isSignedValue, Rounding rounding);
double doubleFromInteger(std::uint64_t bits, bool isSignedValue, Rounding rounding);

} // namespace ridge::gpu::simt
