// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/rows.h"

#include <span>

namespace ridge::record {

/// The `ridge run …` lines that make these runs again, ready for a POSIX shell: one an experiment, target and seed,
/// with a sweep where one parameter differs; else one a request whose runs are a whole grid, and what is left one by
/// one. Words are quoted, since rows may come from a stranger's store.
std::vector<std::string> rerunCommands(std::span<const RunRow> runs);

} // namespace ridge::record
