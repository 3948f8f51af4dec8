// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "labs/harness/norm_shape.h"

namespace ridge::labs {

ExperimentInfo normInfo();
NormShape normShapeOf(const ParamSet& params, const gpu::DeviceInfo& info);

/// Errors: "needs-newer-chip" for the rung that needs clusters.
Result<void> normRuns(std::size_t rung, const gpu::DeviceInfo& info);

} // namespace ridge::labs
