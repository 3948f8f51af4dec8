// SPDX-License-Identifier: GPL-3.0-or-later
// Designs that the bench tests: the shipped one, the shipped one with a bug planted, a learner's own.
#pragma once

#include "base/result.h"

#include <span>
#include <string>
#include <string_view>

namespace ridge::rtl {

struct Design {
    std::string name; ///< of its file, as messages have it
    std::string text; ///< SystemVerilog with a module "array"
};

/// A mistake that people make, as a replacement in the shipped source.
struct Fault {
    std::string_view id, title; ///< "narrow_sum", "sums have 16 bits"
    std::string_view find, replace;
};

std::span<const Fault> faults();

/// labs/rtl/array.sv and labs/rtl/bench.sv. Errors: "no-data".
Result<Design> shippedDesign();
Result<Design> testbench();
/// labs/rtl/mac_rule.sv: what a PE has to do, in other words than array.sv's. Errors: "no-data".
Result<Design> macRule();
/// labs/rtl/drive.cpp: feeds a design that Verilator made into C++. Errors: "no-data".
Result<Design> longDriver();

/// Errors: "unknown-fault"; "bad-fault" where the design does not have the fault's place exactly once.
Result<Design> withFault(const Design& design, std::string_view id);

} // namespace ridge::rtl
