// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/clocked_metric.h"

namespace ridge {
namespace {

/// Of the launch that is simulated in time.
constexpr std::array<std::string_view, 6> kTimedLaunch{"cycles",      "inst_issued", "achieved_occupancy",
                                                       "l1_hit_rate", "l2_hit_rate", "dram_bytes"};
constexpr std::array<std::string_view, 7> kTimeUnits{"s", "ms", "us", "ns", "cycles", "W", "J"};
/// Ratios whose unit does not tell that they are of times or rates.
constexpr std::array<std::string_view, 22> kRatios{
    "peak_share",    "reference_share", "roof_share",    "pin_share",        "driver_share",     "share_of_limit",
    "share_of_copy", "share_of_hand",   "cub_share",     "cublas_share",     "cudnn_share",      "kernel_share",
    "speedup",       "time_ratio",      "gain",          "gain_resident",    "gain_with_copies", "over_longest",
    "overlap",       "of_limit",        "bytes_to_fill", "effective_latency"};

bool contains(std::span<const std::string_view> names, std::string_view name)
{
    return std::ranges::find(names, name) != names.end();
}

bool isOfTime(std::string_view unit)
{
    return contains(kTimeUnits, unit) || unit.ends_with("/s") || unit.find("/s/") != unit.npos ||
           unit.ends_with("/clk") || unit.starts_with("pJ/");
}

} // namespace

bool needsClock(const ExperimentInfo& info, std::string_view metric)
{
    const MetricSpec* spec = info.metric(metric);
    // Copies alone go over links whose rates are known; what has kernels waits for them.
    // A bound is worked out from published rates, before anything is timed.
    if (spec == nullptr || info.kernels.empty() || metric.starts_with("cpu_") || metric.ends_with("_bound"))
        return false;
    return isOfTime(spec->unit) || contains(kTimedLaunch, metric) || contains(kRatios, metric) ||
           metric.starts_with("stall_");
}

} // namespace ridge
