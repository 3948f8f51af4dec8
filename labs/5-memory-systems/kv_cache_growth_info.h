// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "base/result.h"
#include "labs/5-memory-systems/kv_decode_shape.h"

namespace ridge::labs {

inline constexpr const char* kDecodePerHead = "decode_attention/01_per_head.cu";
inline constexpr const char* kDecodeGrouped = "decode_attention/02_grouped.cu";
inline constexpr const char* kDecodeSplit = "decode_attention/03_split.cu";

ExperimentInfo kvCacheGrowthInfo();

/// The kernel's file for the value of the parameter "kernel".
const char* decodeKernelFile(const std::string& kernel);

/// Errors: "bad-parameters" where KV heads do not divide the query heads, or more query heads share one than a block
/// has warps.
Result<DecodeShape> decodeShapeOf(const ParamSet& params);

} // namespace ridge::labs
