// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"

namespace ridge::labs {

inline constexpr const char* kOccupancyKernel = "occupancy/01_loads_and_chains.cu";

ExperimentInfo occupancyInfo();

} // namespace ridge::labs
