// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/parameters.h"

namespace ridge {

/// The points of sweeps as people write them ("stride=1..128:log2", first slowest) over `fixed`. Errors: those of
/// parseSweep and expandSweep; a parameter that is both fixed and swept is one.
Result<std::vector<ParamSet>> sweepPoints(std::span<const ParamSpec> specs, const ParamSet& fixed,
                                          std::span<const std::string> sweeps);

/// The same as a lesson's block means it: a parameter that it presets and sweeps follows the sweep.
Result<std::vector<ParamSet>> blockPoints(std::span<const ParamSpec> specs, ParamSet preset,
                                          std::span<const std::string> sweeps);

} // namespace ridge
