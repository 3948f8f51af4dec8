// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"

namespace ridge::labs {

inline constexpr const char* kSaxpyKernel = "crossover/01_saxpy.cu";
inline constexpr const char* kSgemmKernel = "crossover/02_tiled_sgemm.cu";
inline constexpr std::uint64_t kLargestOrder = 4096; ///< of sgemm: its sums stay exact, and a pass within seconds

ExperimentInfo crossoverInfo();

} // namespace ridge::labs
