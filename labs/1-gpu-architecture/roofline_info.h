// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"

namespace ridge::labs {

inline constexpr const char* kRooflineKernel = "roofline/01_tunable_intensity.cu";

ExperimentInfo rooflineInfo();

} // namespace ridge::labs
