// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lanes/lanes.h"

namespace ridge::gpu::simt {

/// A cvt between packed formats, or to tf32. Operands: d, a and, from two f32, b (the lower part).
struct PackedConvert {
    ScalarType to = ScalarType::None;
    ScalarType from = ScalarType::None;
    Rounding rounding = Rounding::Nearest;
    bool ties = false; ///< .rna: ties go away from zero (tf32)
    bool relu = false;
};

/// Null where the pair does not exist. `flags` of the micro-op must hold packConvertFlags().
OpFunction findPackedConvert(const PackedConvert& convert);
std::uint32_t packConvertFlags(const PackedConvert& convert);

} // namespace ridge::gpu::simt
