// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"
#include "base/result.h"

#include <functional>

namespace ridge::labs {

struct HardwareCounter {
    std::uint64_t value = 0;
    std::string unit;
};

/// What a GPU counted.
struct HardwareCounters {
    std::string by; ///< the profiler's file
    /// With the names of docs/counters.md, summed over the launches; what a chip does not count is left out.
    std::map<std::string, HardwareCounter> counters;
};

/// What a worker of its own executes below the profiler.
struct Counting {
    Json request;                    ///< as `ridge-worker run` reads it; launches kernels once and times none
    std::string entry;               ///< the first launch of this kernel alone is counted; empty: every launch
    double seconds = 30;             ///< of wall time
    std::function<bool()> cancelled; ///< polled; may be empty
};

/// Runs a request once more in a worker of its own below Nsight Compute (RIDGE_NCU, else ncu of the PATH or of
/// /usr/local/cuda), which replays each launch until everything is counted. Both are gone when this returns, and end
/// when this process does, however it ends. Errors: "counters-absent" (no ncu), "counters-forbidden"
/// (ERR_NVGPUCTRPERM, with what to change on this system), "counters-failed" (with the worker's or ncu's own words),
/// "time-limit", "cancelled".
Result<HardwareCounters> countOnHardware(const Counting& what);

/// Metrics of each launch in what `ncu --csv --page raw --print-units base` wrote, by Nsight Compute's names.
std::vector<std::map<std::string, double>> launchesFromNcu(const std::string& log);

} // namespace ridge::labs
