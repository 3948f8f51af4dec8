// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/points_table.h"

#include "base/csv.h"
#include "base/markup.h"
#include "base/plain_file.h"

#include <algorithm>

namespace ridge::cli {
namespace {

constexpr const char* kTargetColumn = "target";
constexpr std::uint64_t kMostBytes = 64u << 20;
constexpr std::size_t kMostRows = 65536; // as many as a sweep may have

std::string trimmed(const std::string& text)
{
    constexpr const char* blank = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blank);
    return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

Error badPoints(const std::string& place, const std::string& what, const std::string& fix)
{
    return {"bad-points", what, place, fix};
}

/// The columns of the first line, each a parameter or "target".
Result<std::vector<std::string>> columnsOf(const CsvRow& header, const std::string& place, const ExperimentInfo& info)
{
    std::vector<std::string> known{kTargetColumn};
    for (const ParamSpec& spec : info.parameters)
        known.push_back(spec.name);
    std::vector<std::string> columns;
    for (const std::string& cell : header.cells) {
        const std::string name = trimmed(cell);
        if (name.empty())
            return badPoints(place, "column " + std::to_string(columns.size() + 1) + " has no name",
                             "name a parameter of " + info.id + " in the first line, or take the column out");
        if (std::ranges::find(columns, name) != columns.end())
            return badPoints(place, "the column \"" + name + "\" is there twice", "keep one");
        columns.push_back(name);
    }
    const auto isKnown = [&](const std::string& name) { return std::ranges::find(known, name) != known.end(); };
    std::string list;
    for (const std::string& name : known)
        list += (list.empty() ? "" : ", ") + name;
    if (std::ranges::none_of(columns, isKnown) && std::ranges::any_of(columns, [](const std::string& name) {
            return name.find_first_not_of("0123456789.^+-eE") == std::string::npos;
        }))
        return badPoints(place, "the table has no header", "name the columns in the first line. Known: " + list);
    for (const std::string& name : columns)
        if (!isKnown(name)) {
            std::string near;
            for (const std::string& each : nearestNames(name, known))
                near += (near.empty() ? "did you mean " : " or ") + each;
            return badPoints(place, "there is no parameter \"" + name + "\"",
                             (near.empty() ? std::string() : near + "? ") + "Known: " + list);
        }
    return columns;
}

PointRow rowOf(const CsvRow& row, const std::string& place, const std::vector<std::string>& columns,
               const ExperimentInfo& info)
{
    PointRow point;
    point.place = place;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string cell = trimmed(row.cells[i]);
        if (cell.empty())
            continue;
        if (columns[i] == kTargetColumn) {
            point.target = cell;
            continue;
        }
        const auto value = parseValue(*info.parameter(columns[i]), cell);
        point.given[columns[i]] = value ? *value : ParamValue(cell);
        if (!value && !point.refused)
            point.refused = value.error();
    }
    resolveFiles(info, point.given);
    return point;
}

} // namespace

Result<PointsTable> parsePoints(std::string_view text, const std::string& file, const ExperimentInfo& info)
{
    const auto placeOf = [&](int line) { return file + ":" + std::to_string(line); };
    if (const auto bad = firstNotUtf8(text))
        return badPoints(placeOf(1 + static_cast<int>(std::count(text.begin(), text.begin() + *bad, '\n'))),
                         "a byte of the table is not UTF-8", "save it as UTF-8");
    const auto rows = parseCsv(text, file, csvSeparator(text));
    if (!rows)
        return rows.error();
    if (rows->empty())
        return badPoints(placeOf(1), "the table is empty",
                         "name parameters of " + info.id + " in the first line and give a point a line");
    auto columns = columnsOf(rows->front(), placeOf(rows->front().line), info);
    if (!columns)
        return columns.error();
    PointsTable table;
    for (std::size_t i = 1; i < rows->size(); ++i) {
        const CsvRow& row = (*rows)[i];
        if (row.cells.size() != columns->size())
            return badPoints(placeOf(row.line),
                             "the row has " + std::to_string(row.cells.size()) + " cells, the first line has " +
                                 std::to_string(columns->size()),
                             "give each column a cell; an empty one is the default");
        if (table.rows.size() == kMostRows)
            return badPoints(placeOf(row.line), "the table has more than 65536 rows", "split it");
        table.rows.push_back(rowOf(row, placeOf(row.line), *columns, info));
    }
    if (table.rows.empty())
        return badPoints(placeOf(rows->front().line), "the table has a first line and no rows", "give a point a line");
    std::erase(*columns, kTargetColumn);
    table.names = std::move(*columns);
    return table;
}

Result<PointsTable> readPoints(const std::filesystem::path& file, const ExperimentInfo& info)
{
    const auto text = readFile(file, kMostBytes);
    return text ? parsePoints(*text, file.string(), info) : text.error();
}

void resolveFiles(const ExperimentInfo& info, ParamSet& params)
{
    for (const auto& [name, path] : filesOf(info.parameters, params)) {
        std::error_code none;
        if (path.starts_with("assets:")) // comes with the program, wherever that is
            continue;
        const auto whole = std::filesystem::absolute(path, none);
        params[name] = none ? path : whole.lexically_normal().string();
    }
}

} // namespace ridge::cli
