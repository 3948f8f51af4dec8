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
    int otherLocale = 0; ///< line of the first number that another language wrote
    std::string how;     ///< "The number 211,94 is written with a decimal comma"
};

/// Of these there are whole numbers only; ncu prints the mean of several with two digits behind the point.
bool isWhole(std::string_view unit)
{
    static constexpr std::string_view kWhole[] = {
        "cycle", "thread", "block", "warp", "inst", "request", "sector", "SM", "register", "register/thread", "sample"};
    return std::ranges::find(kWhole, unit) != std::end(kWhole);
}

/// ncu prints numbers as the machine's language does; "211,94" is no 21194, and 45.678 cycles are 45,678.
std::optional<double> valueOf(const std::string& cell, std::string_view unit, int line, Seen& seen)
{
    const auto value = numberIn(cell);
    const bool comma = !value && hasDecimalComma(cell);
    const bool point = hasThousandsPoint(cell) && (!value || isWhole(unit));
    if (seen.otherLocale == 0 && (comma || point)) {
        seen.otherLocale = line;
        seen.how = "The number " + std::string(trimmed(cell)) +
                   (comma ? " is written with a decimal comma"
                          : (unit.empty() ? "" : " of the unit " + std::string(unit)) +
                                " is a whole one, whose thousands are parted by points");
    }
    if (!value)
        ++seen.withoutNumber;
    return value;
}

/// Empty where the file holds one run of the profiler.
struct ProfilerRun {
    CsvTable table;
    std::string name; ///< ", run 2"
};

/// Several runs of ncu that were appended to one file: the heads stand again before each.
std::vector<ProfilerRun> runsIn(const CsvTable& table)
{
    std::vector<ProfilerRun> runs(1);
    runs.front().table.heads = table.heads;
    runs.front().table.line = table.line;
    const int id = table.column("ID"), kernel = table.column("Kernel Name");
    const auto isHeads = [&](const CsvRow& row) {
        const auto at = [&](int column) {
            return column >= 0 && static_cast<std::size_t>(column) < row.cells.size()
                       ? trimmed(row.cells[static_cast<std::size_t>(column)])
                       : std::string_view();
        };
        const bool here = at(kernel) == "Kernel Name" && (id < 0 || at(id) == "ID");
        const auto has = [&](std::string_view name) {
            return std::ranges::any_of(row.cells, [&](const std::string& cell) { return trimmed(cell) == name; });
        };
        return here || (has("Kernel Name") && has("ID")); // other metrics, other columns
    };
    for (const CsvRow& row : table.rows) {
        if (!isHeads(row)) {
            runs.back().table.rows.push_back(row);
            continue;
        }
        runs.emplace_back();
        runs.back().table.line = row.line;
        for (const std::string& head : row.cells)
            runs.back().table.heads.emplace_back(trimmed(head));
    }
    if (runs.size() > 1)
        for (std::size_t i = 0; i < runs.size(); ++i)
            runs[i].name = ", run " + std::to_string(i + 1);
    return runs;
}

std::string launchName(const ProfilerRun& run, const CsvRow& row)
{
    return run.table.cell(row, "Kernel Name") + run.name + ", launch " + run.table.cell(row, "ID");
}

/// The default page: a row a metric of a launch.
void readDetails(const ProfilerRun& run, FigureList& figures, Seen& seen)
{
    const CsvTable& table = run.table;
    for (const CsvRow& row : table.rows) {
        const std::string metric = table.cell(row, "Metric Name");
        if (metric.empty())
            continue; // a row of the rules section has text in place of a metric
        const std::string launch = launchName(run, row);
        seen.kernels.insert(table.cell(row, "Kernel Name"));
        seen.launches.insert(launch);
        const std::string unit = table.cell(row, "Metric Unit");
        if (const auto value = valueOf(table.cell(row, "Metric Value"), unit, row.line, seen))
            figures.add(metric, *value, unit, launch, row.line);
    }
}

/// --print-summary per-kernel (or per-gpu): a row a metric of all launches of a kernel.
void readSummary(const ProfilerRun& run, FigureList& figures, Seen& seen)
{
    const CsvTable& table = run.table;
    for (const CsvRow& row : table.rows) {
        const std::string metric = table.cell(row, "Metric Name"), kernel = table.cell(row, "Kernel Name");
        const auto launches = numberIn(table.cell(row, "Invocations"));
        if (metric.empty() || !launches)
            continue;
        const std::string of =
            kernel + run.name + ", " + counted(static_cast<std::size_t>(*launches), "launch", "launches");
        seen.kernels.insert(kernel);
        for (const auto& [head, name] :
             {std::pair("Average", ", average"), std::pair("Minimum", ", minimum"), std::pair("Maximum", ", maximum")})
            if (const auto value = valueOf(table.cell(row, head), {}, row.line, seen))
                figures.add(metric + name, *value, table.cell(row, "Metric Unit"), of, row.line);
    }
}

/// --page raw: a row a launch, a column a metric, the first row the units.
Result<void> readRaw(const ProfilerRun& run, const std::string& name, FigureList& figures, Seen& seen)
{
    const CsvTable& table = run.table;
    if (table.rows.empty() || !table.cell(table.rows.front(), "ID").empty())
        return badImport(name, table.line, "The row of units under the heads is missing", kHow);
    const CsvRow& units = table.rows.front();
    for (std::size_t r = 1; r < table.rows.size(); ++r) {
        const CsvRow& row = table.rows[r];
        const std::string launch = launchName(run, row);
        seen.kernels.insert(table.cell(row, "Kernel Name"));
        seen.launches.insert(launch);
        for (std::size_t c = 0; c < std::min(table.heads.size(), row.cells.size()); ++c) {
            if (!isMetricName(table.heads[c]))
                continue;
            const std::string unit = c < units.cells.size() ? units.cells[c] : std::string();
            if (const auto value = valueOf(row.cells[c], unit, row.line, seen))
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
        const std::vector<ProfilerRun> runs = runsIn(*table);
        for (const ProfilerRun& run : runs) {
            if (run.table.column("Invocations") >= 0)
                readSummary(run, figures, seen);
            else if (run.table.column("Metric Name") >= 0)
                readDetails(run, figures, seen);
            else if (auto read = readRaw(run, name, figures, seen); !read)
                return read.error();
        }
        if (runs.size() > 1)
            imported.notes.push_back("Output of " + std::to_string(runs.size()) +
                                     " runs of the profiler, one after the other.");
    }
    if (seen.otherLocale > 0)
        return badImport(name, seen.otherLocale, seen.how,
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
