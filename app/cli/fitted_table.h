// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ridge::cli {

/// Columns of the terminal on standard output, or what COLUMNS says; 0: output goes into a file, nothing limits it.
std::size_t outputWidth();

/// table() where it is wider than `limit` (0: nothing is): columns of text are broken between words. If that is not
/// enough, the columns are dealt out to several tables, each with the first `keys` columns.
std::string fittedTable(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows,
                        std::size_t keys, std::size_t limit = outputWidth());

} // namespace ridge::cli
