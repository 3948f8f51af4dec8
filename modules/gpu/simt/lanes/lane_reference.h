// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lanes/packed_convert.h"

namespace ridge::gpu::simt {

/// What one lane of a float operation must give, from the definitions of IEEE 754 and the PTX ISA in whole numbers
/// alone: no host arithmetic, no code shared with the lanes. The oracle of the tests; slow.
///
/// Knows Add, Sub, Mul, Fma, Div, Rcp, Sqrt in every rounding, .ftz, .sat and .relu, Min, Max, MinNaN, MaxNaN, Abs and
/// Neg of F16, BF16, F32, F64, and SetPredicate (1 or 0).
bool isReferenceOp(const LaneKey& key);
std::uint64_t referenceLane(const LaneKey& key, std::uint64_t a, std::uint64_t b, std::uint64_t c);

/// What `cvt` gives, every pair of scalar types (PTX ISA, "cvt"); the source stands in the low bits.
std::uint64_t referenceConvert(const ConvertSpec& spec, std::uint64_t bits);

/// One half of a packed conversion (packed_convert.h): from F32, F16 or an 8-bit float, to F16, BF16 or an 8-bit float;
/// or F32 to TF32. The types are those of the pairs.
std::uint64_t referencePacked(const PackedConvert& spec, std::uint64_t bits);

} // namespace ridge::gpu::simt
