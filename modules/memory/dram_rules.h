// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a course of commands is one that the standard allows, told from the commands alone: a second way to say what
// the controller of memory/dram.h has to obey. It knows nothing of the controller's state.
#pragma once

#include "memory/dram.h"

#include <optional>
#include <span>
#include <string>

namespace ridge::memory {

/// The first command, by tick, that breaks a rule: "RD at 124 comes 3 ticks after RD at 121, tCCD_L asks for 4". Rules
/// between pairs, tFAW over five activations, rows that are open or closed where they must be, data that overlap on
/// the pins, command wires. `commands` begin with all banks closed and are in the order in which they were given.
std::optional<std::string> firstBroken(const DramSpec& spec, std::span<const DramCommand> commands);

} // namespace ridge::memory
