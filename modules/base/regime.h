// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace ridge {

/// How warm a chip is when it is timed (docs/architecture.md, measuring contract). Only targets with a clock of their
/// own care.
enum class Regime {
    Quick,  ///< warmed up for a moment, for a person who waits; neither cold nor settled
    Burst,  ///< a second of rest, three warm-ups, 10 to 20 samples: comparable with published cold runs
    Settled ///< warmed up until clock and power stand still, 3 s or more
};

std::string_view toText(Regime regime); ///< "quick", "burst", "settled"
std::optional<Regime> regimeFromText(std::string_view text);

} // namespace ridge
