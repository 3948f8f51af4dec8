// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/protocol.h"

namespace ridge {

/// Metrics "stall_<state>" are the shares of warp-cycles by Nsight Compute's warp states (docs/counters.md): one
/// quantity in many parts, which tables tell in a line of its own rather than in eighteen.
bool isWarpState(std::string_view metric);

struct WarpState {
    std::string state; ///< "long_scoreboard"
    double percent = 0;
};

/// Of the states in which a warp waits, largest first, those of at least `least` percent; "selected" is none of them.
std::vector<WarpState> waits(const std::map<std::string, MetricValue>& metrics, double least = 0.5);

/// "long scoreboard 69 %, wait 12 %", at most `most` of them; empty where there are none.
std::string waitText(const std::map<std::string, MetricValue>& metrics, std::size_t most);

} // namespace ridge
