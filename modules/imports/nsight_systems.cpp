// SPDX-License-Identifier: GPL-3.0-or-later
#include "imports/csv_table.h"
#include "imports/lines.h"
#include "imports/readers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace ridge::imports {

namespace {

constexpr const char* kHow = "Make it with nsys stats --format csv (cuda_gpu_kern_sum, cuda_api_sum, "
                             "cuda_gpu_mem_time_sum, cuda_gpu_mem_size_sum …)";

/// What a report's rows are about, by the column that names them.
constexpr std::array<std::string_view, 3> kNames = {"Name", "Operation", "Range"};

bool isHead(std::string_view text)
{
    text = trimmed(text);
    if (text.starts_with('|')) // --format table
        text = trimmed(text.substr(1));
    if (text.starts_with('"'))
        text.remove_prefix(1);
    // Before 2021.5 nsys wrote "Time(%)".
    const bool summary = text.starts_with("Time (%)") || text.starts_with("Time(%)") || text.starts_with("Total (");
    return summary &&
           (text.find("Name") != std::string_view::npos || text.find("Operation") != std::string_view::npos ||
            text.find("Range") != std::string_view::npos);
}

/// "Avg (ns)" -> {"avg", "ns"}; "Instances" -> {"instances", ""}.
std::pair<std::string, std::string> splitHead(const std::string& head)
{
    std::string name = head, unit;
    const std::size_t open = head.rfind('(');
    if (open != std::string::npos && head.ends_with(')')) {
        unit = head.substr(open + 1, head.size() - open - 2);
        name = std::string(trimmed(head.substr(0, open)));
    }
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    return {name, unit};
}

/// Older reports name the unit in the head of the total alone: "Total Time (ns)", "Average", "Minimum".
bool sharesUnit(const std::string& figure)
{
    return figure == "average" || figure == "median" || figure == "minimum" || figure == "maximum" ||
           figure == "stddev";
}

std::string unitOfTotal(const CsvTable& table)
{
    for (const std::string& head : table.heads)
        if (head.starts_with("Total"))
            return splitHead(head).second;
    return {};
}

std::string nameColumn(const CsvTable& table)
{
    for (const std::string_view name : kNames)
        if (table.column(name) >= 0)
            return std::string(name);
    return {};
}

/// Where each column stands, by the rule of dashes under the heads; empty: it is no rule.
std::vector<std::pair<std::size_t, std::size_t>> columnsOf(std::string_view rule)
{
    std::vector<std::pair<std::size_t, std::size_t>> columns;
    if (rule.find('-') == std::string_view::npos || rule.find_first_not_of("- ") != std::string_view::npos)
        return columns;
    for (std::size_t at = rule.find('-'); at != std::string_view::npos;) {
        const std::size_t end = std::min(rule.find(' ', at), rule.size());
        columns.emplace_back(at, end);
        at = rule.find('-', end);
    }
    return columns;
}

/// --format column, which is what nsys prints to a terminal: columns under a rule, the last one to the end of the line.
/// And --format table, with bars.
std::optional<CsvTable> drawnTable(const std::vector<Line>& lines, std::size_t head, std::size_t end)
{
    CsvTable table;
    table.line = lines[head].number;
    const bool bars = trimmed(lines[head].text).starts_with('|');
    const auto columns = bars || head + 1 >= lines.size() ? std::vector<std::pair<std::size_t, std::size_t>>()
                                                          : columnsOf(lines[head + 1].text);
    if (!bars && columns.empty())
        return std::nullopt;
    const auto cells = [&](std::string_view text) {
        std::vector<std::string> row;
        if (bars) {
            for (const std::string_view cell : tableCells(text, '|'))
                row.emplace_back(cell);
            return row;
        }
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const std::size_t begin = std::min(columns[c].first, text.size());
            const std::size_t stop = c + 1 == columns.size() ? text.size() : std::min(columns[c].second, text.size());
            row.emplace_back(trimmed(text.substr(begin, stop - begin)));
        }
        return row;
    };
    table.heads = cells(lines[head].text);
    for (std::size_t at = head + 1; at < end; ++at) {
        const std::string_view text = trimmed(lines[at].text);
        if (text.find_first_not_of("-+ |") == std::string_view::npos)
            continue; // a rule
        CsvRow row;
        row.cells = cells(lines[at].text);
        row.line = lines[at].number;
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace

bool looksLikeNsightSystems(std::string_view bytes)
{
    const auto lines = linesOf(bytes.substr(0, 64 << 10));
    return std::any_of(lines.begin(), lines.end(), [](const Line& line) { return isHead(line.text); });
}

Result<Imported> readNsightSystems(std::string_view bytes, const std::string& name)
{
    Imported imported;
    imported.kind = "profile";
    std::size_t tables = 0;
    {
        FigureList figures(imported);
        const auto lines = linesOf(bytes);
        for (std::size_t at = 0; at < lines.size(); ++at) {
            if (!isHead(lines[at].text))
                continue;
            // A report ends with an empty line, with the tool's next remark or with the next heads.
            std::size_t end = at + 1;
            while (end < lines.size() && !trimmed(lines[end].text).empty() && !isHead(lines[end].text) &&
                   !lines[end].text.starts_with("Processing") && !lines[end].text.starts_with("NOTICE"))
                ++end;
            const std::size_t stop = end < lines.size() ? lines[end].begin : bytes.size();
            const auto drawn = drawnTable(lines, at, end);
            auto table = drawn
                             ? Result<CsvTable>(*drawn)
                             : readTable(bytes.substr(lines[at].begin, stop - lines[at].begin), name, lines[at].number);
            if (!table)
                return table.error();
            ++tables;
            const std::string names = nameColumn(*table), totals = unitOfTotal(*table);
            for (const CsvRow& row : table->rows) {
                if (row.cells.size() != table->heads.size())
                    return badImport(name, row.line,
                                     "The row has " + counted(row.cells.size(), "cell") + ", its heads are " +
                                         std::to_string(table->heads.size()),
                                     kHow);
                for (const std::string& head : table->heads) {
                    if (std::find(kNames.begin(), kNames.end(), head) != kNames.end())
                        continue;
                    const auto value = numberIn(table->cell(row, head));
                    const auto [figure, unit] = splitHead(head);
                    if (value)
                        figures.add(figure, *value, unit.empty() && sharesUnit(figure) ? totals : unit,
                                    table->cell(row, names), row.line);
                }
            }
            at = end - 1;
        }
    }
    if (imported.figures.empty())
        return badImport(name, 0, "The file has no summary with figures", kHow);
    imported.title =
        tables == 1 ? "A summary from Nsight Systems" : std::to_string(tables) + " summaries from Nsight Systems";
    return imported;
}

} // namespace ridge::imports
