// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// One record of comma-separated values with the line of the file on which it begins (1-based).
struct CsvRow {
    int line = 0;
    std::vector<std::string> cells;
};

/// Records as RFC 4180 has them: cells in quotes may hold separators, line ends and doubled quotes; lines may end in
/// LF, CRLF or CR; a byte order mark and empty lines are passed over. `file` is for messages. Errors: "bad-csv" (a
/// quote that is never closed or that ends inside a cell, with file:line).
Result<std::vector<CsvRow>> parseCsv(std::string_view text, const std::string& file, char separator = ',');

/// The separator that the first line of a table uses: the most frequent of ',', ';' and tab outside quotes. A comma
/// where there is none of them.
char csvSeparator(std::string_view text);

/// A cell as it stands in a record: in quotes where it holds separator, quote or line end.
std::string csvCell(std::string_view text, char separator = ',');

/// One record with its line end (CRLF, as RFC 4180 has it).
std::string csvLine(const std::vector<std::string>& cells, char separator = ',');

/// A cell that a spreadsheet shows and does not compute: text that begins with = + - @, tab or CR gets a leading
/// apostrophe (OWASP, "CSV Injection"). For names and texts that a stranger chose; not for numbers.
std::string csvText(std::string_view text);

} // namespace ridge
