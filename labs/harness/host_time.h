// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "host/measure.h"
#include "labs/experiment.h"

namespace ridge::labs {

/// How the target "cpu" samples: polls the context's cancellation.
host::Sampling samplingOf(RunContext& context);

/// Reports "time", "time_min", "time_p95" and the verdict, as reportTime() does for a GPU.
void reportHostTime(RunContext& context, const host::Timing& timing);

} // namespace ridge::labs
