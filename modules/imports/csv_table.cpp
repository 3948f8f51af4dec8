// SPDX-License-Identifier: GPL-3.0-or-later
#include "imports/csv_table.h"

#include "imports/lines.h"

#include <algorithm>

namespace ridge::imports {

int CsvTable::column(std::string_view head) const
{
    const auto found = std::find(heads.begin(), heads.end(), head);
    return found == heads.end() ? -1 : static_cast<int>(found - heads.begin());
}

std::string CsvTable::cell(const CsvRow& row, std::string_view head) const
{
    const int index = column(head);
    if (index < 0 || static_cast<std::size_t>(index) >= row.cells.size())
        return {};
    return std::string(trimmed(row.cells[static_cast<std::size_t>(index)]));
}

Result<CsvTable> readTable(std::string_view text, const std::string& name, int line)
{
    auto rows = parseCsv(text, name, csvSeparator(text));
    if (!rows) {
        // The reader counts from the heads on.
        Error error = rows.error();
        const std::size_t colon = error.place.rfind(':');
        error.place = name + ":" + std::to_string(std::stoi(error.place.substr(colon + 1)) + line - 1);
        return error;
    }
    CsvTable table;
    table.line = line;
    for (std::size_t r = 0; r < rows->size(); ++r) {
        CsvRow& row = (*rows)[r];
        row.line += line - 1;
        if (r > 0) {
            table.rows.push_back(std::move(row));
            continue;
        }
        for (const std::string& head : row.cells)
            table.heads.emplace_back(trimmed(head));
    }
    return table;
}

} // namespace ridge::imports
