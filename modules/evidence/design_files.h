// SPDX-License-Identifier: GPL-3.0-or-later
// What belongs to an artifact whose lesson had a design in SystemVerilog: the design that ran, its testbench and the
// report of the FPGA tools.
#pragma once

#include "base/experiment_info.h"
#include "record/store.h"

#include <span>

namespace ridge::app {

/// Of the newest run of `rtl_array` and of `rtl_timing` among `runs`: "array.sv" (and "placed-array.sv" where what was
/// placed is another text), "bench.sv" and, after a placement, "fpga-timing-report.txt". Nothing where no design ran.
/// A design that is no longer where it was is left out, and the report says so.
Result<std::vector<record::ArtifactCode>> storeDesigns(record::Store& store, std::span<const record::RunRow> runs,
                                                       const std::vector<ExperimentInfo>& experiments);

} // namespace ridge::app
