// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"

namespace ridge::labs {

inline constexpr const char* kChainKernel = "kernel_chain/01_one_operation.cu";
inline constexpr const char* kFusedKernel = "kernel_chain/02_fused.cu";

/// The experiment "kernel_chain" as forms, charts and checks know it.
ExperimentInfo kernelChainInfo();

} // namespace ridge::labs
