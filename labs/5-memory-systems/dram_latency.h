// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "memory/dram.h"

#include <string>

namespace ridge::labs {

/// A histogram that fills as reads end: columns of latency, of 1, 2 or 5 times a power of ten ns, the last one for all
/// that is longer; cells stacked by what the read found. `latency` in ticks of `tick` seconds, `found` of the same
/// length. The encoded grid trace; empty without reads.
std::string latencyPicture(const std::vector<std::uint32_t>& latency, const std::vector<memory::RowState>& found,
                           double tick);

} // namespace ridge::labs
