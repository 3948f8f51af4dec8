// SPDX-License-Identifier: GPL-3.0-or-later
// What a design becomes: cells that Yosys makes of it.
#pragma once

#include "accelerator/systolic.h"
#include "rtl/design.h"
#include "rtl/tools.h"

namespace ridge::rtl {

/// Gates of two inputs and flip-flops, each module by itself.
struct CellCount {
    std::uint64_t cells = 0, flipFlops = 0;
    std::uint64_t ofPe = 0; ///< cells of one module "mac"; 0 where the design has none
};

/// Errors: "no-yosys"; "rtl-compile" with the words of Yosys; "rtl-time", "rtl-output", "rtl-crash", "cancelled".
Result<CellCount> countCells(const Design& design, const accelerator::Array& array, const Limits& limits);

/// Registers of labs/rtl/array.sv in closed form: 48 bits a PE, the wedges that delay activations and results, what is
/// on its way, and seven of control.
std::uint64_t flipFlops(const accelerator::Array& array);

} // namespace ridge::rtl
