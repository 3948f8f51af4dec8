// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"

namespace ridge::labs {

inline constexpr const char* kChainsKernel = "throughput/01_instruction_chains.cu";
inline constexpr const char* kTensorKernel = "throughput/02_tensor_chains.cu";
inline constexpr std::uint64_t kTurnInstructions = 120; ///< of a loop turn, as TURN of the kernels

ExperimentInfo throughputInfo();

} // namespace ridge::labs
