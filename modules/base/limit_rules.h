// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/protocol.h"

#include <string>

namespace ridge {

inline constexpr double kMostSeconds = 1e7; ///< four months, as the command line takes
inline constexpr std::int64_t kMostMemoryMiB = std::int64_t(1)
                                               << 30; ///< a pebibyte: no machine has more, no sum overflows

/// What is wrong with limits that somebody asks for; empty: nothing.
inline std::string limitsProblem(const RunLimits& limits)
{
    if (limits.seconds < 0 || limits.memoryMiB < 0)
        return "limits cannot be negative";
    if (!(limits.seconds <= kMostSeconds))
        return "limits.seconds is at most 10000000";
    if (limits.memoryMiB > kMostMemoryMiB)
        return "limits.memory_mib is at most " + std::to_string(kMostMemoryMiB);
    return {};
}

} // namespace ridge
