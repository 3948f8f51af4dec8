// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/csv.h"

namespace ridge::imports {

/// Internal: a table with a line of heads. Lines are those of the whole file.
struct CsvTable {
    std::vector<std::string> heads;
    std::vector<CsvRow> rows;
    int line = 0; ///< of the heads

    int column(std::string_view head) const; ///< -1: not there
    /// Empty where the row or the table has no such cell.
    std::string cell(const CsvRow& row, std::string_view head) const;
};

/// `text` begins with the heads, which stand on line `line` of the file. Errors: "bad-csv".
Result<CsvTable> readTable(std::string_view text, const std::string& name, int line);

} // namespace ridge::imports
