// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"

namespace ridge::labs {

inline constexpr const char* kCoalescingKernel = "coalescing/01_strided_read.cu";
inline constexpr std::uint64_t kMinElements = 1024;
inline constexpr std::uint64_t kMaxElements = 1u << 24;

ExperimentInfo coalescingInfo();

} // namespace ridge::labs
