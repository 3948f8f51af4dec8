// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"

namespace ridge::labs {

inline constexpr const char* kLevelKernel = "level_bandwidth/01_read_rounds.cu";
inline constexpr const char* kLevelScopes[] = {"sm", "chip"};

/// Bytes that the first cache of an SM hands out in a clock, by compute capability.
double levelL1Width(int major, int minor);

ExperimentInfo levelBandwidthInfo();

} // namespace ridge::labs
