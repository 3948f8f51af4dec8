// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/warp_states.h"

#include <algorithm>
#include <cmath>

namespace ridge {

namespace {

constexpr std::string_view kPrefix = "stall_";

}

bool isWarpState(std::string_view metric)
{
    return metric.substr(0, kPrefix.size()) == kPrefix;
}

std::vector<WarpState> waits(const std::map<std::string, MetricValue>& metrics, double least)
{
    std::vector<WarpState> found;
    for (const auto& [name, metric] : metrics)
        if (isWarpState(name) && name != "stall_selected" && metric.value >= least)
            found.push_back({name.substr(kPrefix.size()), metric.value});
    std::stable_sort(found.begin(), found.end(),
                     [](const WarpState& a, const WarpState& b) { return a.percent > b.percent; });
    return found;
}

std::string waitText(const std::map<std::string, MetricValue>& metrics, std::size_t most)
{
    std::string text;
    for (const WarpState& wait : waits(metrics)) {
        if (most-- == 0)
            break;
        std::string state = wait.state;
        std::replace(state.begin(), state.end(), '_', ' ');
        text += (text.empty() ? "" : ", ") + state + " " + std::to_string(std::lround(wait.percent)) + " %";
    }
    return text;
}

} // namespace ridge
