// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"

namespace ridge {

/// The target of closed-form models, the simulator used where there is no GPU, and the GPU used where there is one.
inline constexpr const char* kModelTarget = "model";
inline constexpr const char* kDefaultSimulator = "sim:h100-sxm";
inline constexpr const char* kFirstGpu = "gpu:0";

/// A target and where it is: "lab:gpu:0" is gpu:0 of the remote target lab, "gpu:0" is one of this machine (`remote` is
/// empty). The text before the first colon is the name of a remote target only where a kind of target follows it, so
/// that a mistyped local one stays what it is.
struct TargetParts {
    std::string remote, local;
};
TargetParts splitTarget(const std::string& target);

/// "gpu" of "gpu:0" and of "lab:gpu:0"; what it is and does says kindOf() of base/target_kind.h.
std::string kindOfTarget(const std::string& target);

/// Whether an experiment can run on a target: it has the kind and, where that is a machine, its engine takes this one.
bool canRun(const ExperimentInfo& info, const std::string& target);

/// Where an experiment runs when `target` was asked for: there if it can, else as a model, else on its own default
/// machine, else on the default simulator. The one rule for lessons, Lab and command line.
std::string targetFor(const ExperimentInfo& info, const std::string& target);

/// Where an experiment runs when nobody named a target: on its own default machine, which gives the same numbers
/// everywhere; else as if `measuring`, the first target here that measures, had been asked for.
std::string unaskedTarget(const ExperimentInfo& info, const std::string& measuring);

} // namespace ridge
