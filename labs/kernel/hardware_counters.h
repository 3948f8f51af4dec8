// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_request.h"

namespace ridge::labs {

/// What a GPU counted in one launch.
struct HardwareCounters {
    std::string by; ///< the profiler's file
    Json counters; ///< {name: {value, unit}} with the names of docs/counters.md; what a chip does not count is left out
};

/// Runs the request once more in a worker of its own below Nsight Compute (RIDGE_NCU, else ncu of the PATH or of
/// /usr/local/cuda), which replays the launch of `entry` until everything is counted; nothing is timed there.
/// Errors: "counters-absent" (no ncu), "counters-forbidden" (ERR_NVGPUCTRPERM, with what to change on this system),
/// "counters-failed" (with ncu's own words), "time-limit" (after `seconds`).
Result<HardwareCounters> countOnHardware(const KernelRunRequest& request, const std::string& entry, double seconds);

/// Metrics of the first launch in what `ncu --csv --page raw --print-units base` wrote, by Nsight Compute's names.
std::map<std::string, double> metricsFromNcu(const std::string& log);

} // namespace ridge::labs
