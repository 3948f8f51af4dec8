// SPDX-License-Identifier: GPL-3.0-or-later
#include "imports/csv_table.h"
#include "imports/lines.h"
#include "imports/readers.h"

#include <algorithm>
#include <set>

namespace ridge::imports {

namespace {

constexpr const char* kHow = "Make it with ncu --csv (the default page or --page raw)";

/// What the profiler writes in front of the table ("==PROF== …") belongs to no table.
std::optional<CsvTable> tableIn(std::string_view bytes, const std::string& name, std::optional<Error>& error)
{
    for (const Line& line : linesOf(bytes)) {
        const std::string_view text = trimmed(line.text);
        if (text.find("Kernel Name") == std::string_view::npos || text.find("ID") == std::string_view::npos)
            continue;
        auto table = readTable(bytes.substr(line.begin), name, line.number);
        if (!table) {
            error = table.error();
            return std::nullopt;
        }
        const bool each = table->column("ID") >= 0, summed = table->column("Invocations") >= 0;
        if ((each || summed) && table->column("Kernel Name") >= 0)
            return *table;
    }
    return std::nullopt;
}

bool isMetricName(std::string_view column)
{
    return column.find("__") != std::string_view::npos || column.find(':') != std::string_view::npos ||
           column.starts_with("launch");
}

struct Seen {
    std::set<std::string> kernels;
    std::set<std::string> launches;
    std::size_t withoutNumber = 0;
    int decimalComma = 0; ///< line of the first
    std::string comma;    ///< as it stands there
};

/// ncu prints numbers as the machine's language does; "211,94" is no 21194.
std::optional<double> valueOf(const std::string& cell, int line, Seen& seen)
{
    const auto value = numberIn(cell);
    if (!value && seen.decimalComma == 0 && hasDecimalComma(cell)) {
        seen.decimalComma = line;
        seen.comma = trimmed(cell);
    }
    if (!value)
        ++seen.withoutNumber;
    return value;
}

std::string launchName(const CsvTable& table, const CsvRow& row)
{
    return table.cell(row, "Kernel Name") + ", launch " + table.cell(row, "ID");
}

/// The default page: a row a metric of a launch.
void readDetails(const CsvTable& table, FigureList& figures, Seen& seen)
{
    for (const CsvRow& row : table.rows) {
        const std::string metric = table.cell(row, "Metric Name");
        if (metric.empty())
            continue; // a row of the rules section has text in place of a metric
        const std::string launch = launchName(table, row);
        seen.kernels.insert(table.cell(row, "Kernel Name"));
        seen.launches.insert(launch);
        if (const auto value = valueOf(table.cell(row, "Metric Value"), row.line, seen))
            figures.add(metric, *value, table.cell(row, "Metric Unit"), launch, row.line);
    }
}

/// --print-summary per-kernel (or per-gpu): a row a metric of all launches of a kernel.
void readSummary(const CsvTable& table, FigureList& figures, Seen& seen)
{
    for (const CsvRow& row : table.rows) {
        const std::string metric = table.cell(row, "Metric Name"), kernel = table.cell(row, "Kernel Name");
        const auto launches = numberIn(table.cell(row, "Invocations"));
        if (metric.empty() || !launches)
            continue;
        const std::string of = kernel + ", " + counted(static_cast<std::size_t>(*launches), "launch", "launches");
        seen.kernels.insert(kernel);
        for (const auto& [head, name] :
             {std::pair("Average", ", average"), std::pair("Minimum", ", minimum"), std::pair("Maximum", ", maximum")})
            if (const auto value = valueOf(table.cell(row, head), row.line, seen))
                figures.add(metric + name, *value, table.cell(row, "Metric Unit"), of, row.line);
    }
}

/// --page raw: a row a launch, a column a metric, the first row the units.
Result<void> readRaw(const CsvTable& table, const std::string& name, FigureList& figures, Seen& seen)
{
    if (table.rows.empty() || !table.cell(table.rows.front(), "ID").empty())
        return badImport(name, table.line, "The row of units under the heads is missing", kHow);
    const CsvRow& units = table.rows.front();
    for (std::size_t r = 1; r < table.rows.size(); ++r) {
        const CsvRow& row = table.rows[r];
        const std::string launch = launchName(table, row);
        seen.kernels.insert(table.cell(row, "Kernel Name"));
        seen.launches.insert(launch);
        for (std::size_t c = 0; c < std::min(table.heads.size(), row.cells.size()); ++c) {
            if (!isMetricName(table.heads[c]))
                continue;
            const std::string unit = c < units.cells.size() ? units.cells[c] : std::string();
            if (const auto value = valueOf(row.cells[c], row.line, seen))
                figures.add(table.heads[c], *value, unit, launch, row.line);
        }
    }
    return {};
}

} // namespace

bool looksLikeNsightCompute(std::string_view bytes)
{
    if (bytes.find("Kernel Name") == std::string_view::npos)
        return false;
    return bytes.find("Metric Name") != std::string_view::npos || bytes.find("__") != std::string_view::npos;
}

Result<Imported> readNsightCompute(std::string_view bytes, const std::string& name)
{
    std::optional<Error> error;
    const auto table = tableIn(bytes, name, error);
    if (error)
        return *error;
    if (!table)
        return badImport(name, 0, "There is no line of heads with \"ID\" and \"Kernel Name\"", kHow);
    Imported imported;
    imported.kind = "profile";
    Seen seen;
    {
        FigureList figures(imported);
        if (table->column("Invocations") >= 0)
            readSummary(*table, figures, seen);
        else if (table->column("Metric Name") >= 0)
            readDetails(*table, figures, seen);
        else if (auto read = readRaw(*table, name, figures, seen); !read)
            return read.error();
    }
    if (seen.decimalComma > 0)
        return badImport(name, seen.decimalComma, "The number " + seen.comma + " is written with a decimal comma",
                         "Make the file again with LC_ALL=C in front of ncu, which writes a point");
    if (imported.figures.empty())
        return badImport(name, table->line, "No metric of the table has a value", kHow);
    if (seen.withoutNumber > 0)
        imported.notes.push_back(counted(seen.withoutNumber, "metric") +
                                 " without a number left out; ncu prints n/a for what the GPU cannot count.");
    if (!table->rows.empty()) {
        const std::string capability = table->cell(table->rows.back(), "CC");
        if (!capability.empty())
            imported.machine.emplace_back("compute capability", capability);
    }
    imported.title = counted(seen.kernels.size(), "kernel") +
                     (seen.launches.empty() ? "" : ", " + counted(seen.launches.size(), "launch", "launches")) +
                     ", profiled with Nsight Compute";
    return imported;
}

} // namespace ridge::imports
