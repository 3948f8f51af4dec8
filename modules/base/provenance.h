// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace ridge {

/// Where a number comes from. Carried by every number from the worker to the pixel.
enum class Provenance {
    Measured,  ///< timed or counted on real hardware in this run
    Simulated, ///< counted or timed while a simulator executed the same kernel
    Modelled,  ///< computed from a formula and a table of parameters
    Recorded,  ///< measured earlier, on another machine, with its fingerprint
};

std::string_view toText(Provenance provenance);     ///< "MEASURED" …, also the JSON form
std::string_view shortLabel(Provenance provenance); ///< "MEAS", "SIM", "MODEL", "REC" for badges
std::optional<Provenance> provenanceFromText(std::string_view text);

} // namespace ridge
