// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "labs/4-kernel-optimization/attention_shape.h"

namespace ridge::labs {

ExperimentInfo attentionInfo();

/// Errors: "bad-parameters" where the rung does not know the format, "needs-newer-chip" where the chip lacks what it
/// needs, "out-of-memory".
Result<AttentionShape> attentionShapeOf(const ParamSet& params, const gpu::DeviceInfo& info);

/// "out-of-memory", with what takes it; `why`: what the device said.
Error attentionTooLarge(const AttentionShape& shape, const std::string& why);

/// Files that the rung launches.
std::vector<std::string> attentionFiles(std::size_t rung);

} // namespace ridge::labs
