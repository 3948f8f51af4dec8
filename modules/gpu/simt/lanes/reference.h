// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lanes/lanes.h"

namespace ridge::gpu::simt {

/// What one lane of a float operation must give, from the definitions of IEEE 754 and the PTX ISA in whole numbers
/// alone: no host arithmetic, no code shared with the lanes. The oracle of the tests; slow.
///
/// Knows Add, Sub, Mul, Fma, Div, Rcp, Sqrt in every rounding, .ftz, .sat and .relu, Min, Max, MinNaN, MaxNaN, Abs and
/// Neg of F16, BF16, F32, F64, and SetPredicate (1 or 0).
bool isReferenceOp(const LaneKey& key);
std::uint64_t referenceLane(const LaneKey& key, std::uint64_t a, std::uint64_t b, std::uint64_t c);

/// a float of one format as another, rounded: Convert between F16, BF16, F32 and F64.
std::uint64_t referenceConvert(ScalarType to, ScalarType from, Rounding rounding, std::uint64_t bits);

} // namespace ridge::gpu::simt
