// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of a design on a small FPGA: Yosys maps it to a Lattice iCE40 HX8K, nextpnr places and routes it and
// says which path limits the clock.
#pragma once

#include "accelerator/systolic.h"
#include "rtl/design.h"
#include "rtl/tools.h"

namespace ridge::rtl {

/// A piece of the path that limits the clock.
struct PathStep {
    std::string kind;   ///< "clk-to-q", "logic", "routing", "setup"
    std::string cell;   ///< where it ends, in the names of the netlist
    std::string net;    ///< of routing
    double seconds = 0; ///< it takes
    int x = -1, y = -1; ///< where it ends on the chip; -1: not said
};

struct Placed {
    std::uint64_t logicCells = 0, logicCellsInAll = 0, pins = 0, pinsInAll = 0;
    double fmax = 0;                    ///< Hz, of paths from register to register
    double inputSeconds = 0;            ///< the longest path from a pin to a register, which fmax leaves out; 0: none
    std::vector<PathStep> path;         ///< that fmax is of, in order
    double seconds(bool routing) const; ///< of the path's wires, or of all else in it
    /// What Yosys mapped the design to before cells were packed; 0 where it was not asked.
    std::uint64_t luts = 0, carries = 0, flipFlops = 0;
    std::string yosys, nextpnr; ///< versions: "Yosys 0.23", "0.4-1+b1"
};

/// What Yosys' `stat -json` counts of an iCE40 netlist. Errors: "rtl-crash" where it is none.
Result<void> readMappedCells(const std::string& json, Placed& placed);

/// The seed is nextpnr's: another one places differently. Errors: "no-yosys", "no-nextpnr-ice40"; "rtl-compile";
/// "rtl-full" (it does not fit, with nextpnr's words); "rtl-time", "rtl-output", "rtl-crash", "cancelled".
Result<Placed> placeAndRoute(const Design& design, const accelerator::Array& array, std::uint64_t seed,
                             const Limits& limits);

/// nextpnr's --report. Errors: "rtl-crash" where it is none.
Result<Placed> readPlaceReport(const std::string& json);

} // namespace ridge::rtl
