// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/parameters.h"
#include "cluster/plan/plan.h"

namespace ridge::labs {

/// What a training job is made of: model or config, system, gpus, dtype, global_batch, sequence, optimizer, software.
std::vector<ParamSpec> jobParams();
/// Errors: those of the tables of models, systems and chips, "bad-config", "cannot-read".
Result<cluster::TrainingJob> jobOf(const ParamSet& params);

/// A text for people: "tp 8, pp 4, dp 2, 1f1b, micro-batches of 1, ZeRO 1".
std::string planText(const cluster::TrainingPlan& plan);

} // namespace ridge::labs
