// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ridge::silicon {

/// Latency of a dependent load as RRZE's gpu-benches published it (pointer chase, gpu-latency), with the clock of that
/// run.
struct PublishedLatency {
    std::string id;   ///< "gh200"
    std::string name; ///< "GH200"
    double clockHz = 0;
    double l1Bytes = 0, l2Bytes = 0;                   ///< capacities: where the steps are
    double l1Cycles = 0, l2Cycles = 0, dramCycles = 0; ///< plateaus
    std::string note;                                  ///< what the three plateaus leave out; empty where nothing
};

/// Of all of them.
inline constexpr std::string_view kLatencySource =
    "RRZE gpu-benches, gpu-latency result files (github.com/RRZE-HPC/gpu-benches @1038c5d)";

/// v100, a100, gh200, l40, in this order.
std::span<const PublishedLatency> publishedLatencies();
/// Null for any other id.
const PublishedLatency* publishedLatency(std::string_view id);

/// cycles / clock, in s.
double latencySeconds(const PublishedLatency& chip, double cycles);
/// Cycles of a chase over that many bytes, each level at its plateau.
double latencyCycles(const PublishedLatency& chip, double workingSetBytes);

} // namespace ridge::silicon
