// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a design's PE does what it has to for every input and forever: labs/rtl/mac_rule.sv says that in other words,
// and Yosys proves by induction over cycles that no input tells the two apart.
#pragma once

#include "rtl/design.h"
#include "rtl/tools.h"

namespace ridge::rtl {

struct Proof {
    bool proved = false;
    std::uint64_t depth = 0;                       ///< cycles that the induction needed, or that lead to a difference
    std::vector<std::vector<std::string>> example; ///< of a difference: cycle, signal, value, as Yosys has them
};

/// Errors: "no-yosys"; "rtl-compile" (also where the design has no module "mac" of the shipped ports); "rtl-time" (not
/// decided within the limit), "rtl-output", "rtl-crash", "cancelled".
Result<Proof> proveMac(const Design& design, const Limits& limits);

} // namespace ridge::rtl
