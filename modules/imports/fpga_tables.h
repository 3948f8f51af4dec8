// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "imports/lines.h"

#include <optional>

namespace ridge::imports {

/// Internal: what FPGA vendors print besides their timing tables: what a design takes of the chip, and Quartus'
/// summaries.
struct VendorTables {
    std::string tool;        ///< "Vivado", "Quartus"; empty: none of their tables
    std::size_t failing = 0; ///< slacks below zero
    bool fitFailed = false;
    std::optional<Error> cut; ///< a table ends before it should, or a row does not fit its head
};

/// "Vivado's table of use", "Quartus' fit summary", "Quartus' timing summary": any of their marks.
bool looksLikeVendorTables(std::string_view bytes);

/// Tables of Vivado's report_utilization (also -hierarchical), Quartus' .fit.summary, .sta.summary and the tables of
/// the same figures in .fit.rpt and .sta.rpt. Adds "used", "available", "slack" and "TNS" figures.
VendorTables readVendorTables(const std::vector<Line>& lines, const std::string& name, FigureList& figures,
                              Imported& imported);

} // namespace ridge::imports
