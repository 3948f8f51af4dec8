// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"

namespace ridge::labs {

inline constexpr const char* kCudaCoresKernel = "tensor_cores/01_cuda_cores.cu";
inline constexpr const char* kMmaSyncKernel = "tensor_cores/02_mma_sync.cu";
inline constexpr const char* kMmaFp8Kernel = "tensor_cores/03_mma_fp8.cu";
inline constexpr const char* kWgmmaKernel = "tensor_cores/04_wgmma.cu";

ExperimentInfo tensorCoresInfo();

} // namespace ridge::labs
