// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rccl-tests (-Z csv or -Z json, -x FILE): a row for each size, in place or out of place.
#include "imports/lines.h"
#include "imports/readers.h"

#include "base/csv.h"
#include "base/json.h"
#include "base/units.h"

#include <map>
#include <set>

namespace ridge::imports {
namespace {

constexpr const char* kHow = "Make it with all_reduce_perf -Z csv -x result.csv (or another of rccl-tests; json, too)";

struct Row {
    std::string collective, type, redop;
    double size = 0, time = 0, algbw = 0, busbw = 0;
    int ranks = 0, cycle = 0;
    bool inPlace = false, wrong = false;
    int line = 0;
};

/// In a build with MPI the line of heads lacks the second column, "nodes", which each row has: columns are counted from
/// the end, where both agree, and what stands before "size" is told by how much of it there is.
Result<Row> rowOf(const CsvRow& given, const std::string& name)
{
    const std::vector<std::string>& cells = given.cells;
    const auto bad = [&](const std::string& what) { return badImport(name, given.line, what, kHow); };
    if (cells.size() < 11 || cells.size() > 14)
        return bad("The row has " + counted(cells.size(), "cell") + ", a row of rccl-tests 11 to 14");
    const auto fromEnd = [&](std::size_t back) { return trimmed(cells[cells.size() - back]); };
    Row row;
    row.line = given.line;
    row.collective = trimmed(cells[1]);
    row.type = fromEnd(7);
    row.redop = fromEnd(6);
    const auto size = numberIn(fromEnd(8)), place = numberIn(fromEnd(5)), time = numberIn(fromEnd(4)),
               algbw = numberIn(fromEnd(3)), busbw = numberIn(fromEnd(2)), wrong = numberIn(fromEnd(1));
    if (!size || !place || !time || !algbw || !busbw)
        return bad("Size, place, time or a bandwidth is no number");
    row.size = *size;
    row.inPlace = *place != 0;
    row.time = *time;
    row.algbw = *algbw;
    row.busbw = *busbw;
    row.wrong = wrong && *wrong > 0; // "N/A": it was not checked
    row.cycle = static_cast<int>(numberIn(cells[0]).value_or(0));
    // gpus | ranks, ranks a node, GPUs a rank | nodes before these
    const std::size_t before = cells.size() - 8;
    row.ranks = static_cast<int>(numberIn(cells[before == 6 ? 3 : 2]).value_or(0));
    return row;
}

Result<std::vector<Row>> rowsOfJson(std::string_view bytes, const std::string& name)
{
    const auto document = parseJson(bytes, name);
    if (!document)
        return document.error();
    std::vector<Row> rows;
    for (const Json& each : *document) {
        const auto number = [&](const char* key) {
            const auto found = each.find(key);
            return found != each.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
        };
        const auto word = [&](const char* key) {
            const auto found = each.find(key);
            return found != each.end() && found->is_string() ? found->get<std::string>() : std::string();
        };
        const auto size = number("size"), place = number("inPlace"), time = number("time"), algbw = number("algBw"),
                   busbw = number("busBw");
        if (!size || !place || !time || !algbw || !busbw)
            return badImport(
                name, 0, "Entry " + std::to_string(rows.size() + 1) + " lacks size, place, time or a bandwidth", kHow);
        Row row;
        row.collective = word("name");
        row.type = word("type");
        row.redop = word("redop");
        row.size = *size;
        row.inPlace = *place != 0;
        row.time = *time;
        row.algbw = *algbw;
        row.busbw = *busbw;
        row.wrong = numberIn(word("wrong")).value_or(0) > 0;
        row.cycle = static_cast<int>(number("numCycle").value_or(0));
        row.ranks = static_cast<int>(number(each.contains("ranks") ? "ranks" : "gpus").value_or(0));
        rows.push_back(std::move(row));
    }
    return rows;
}

bool isJson(std::string_view bytes)
{
    const std::string_view start = trimmed(bytes.substr(0, 4096));
    return start.starts_with('[') && start.find("\"numCycle\"") != std::string_view::npos &&
           start.find("\"busBw\"") != std::string_view::npos;
}

} // namespace

bool looksLikeRcclTests(std::string_view bytes)
{
    const std::string_view first = bytes.substr(0, bytes.find('\n'));
    return isJson(bytes) || (first.starts_with("numCycle,") && first.find(",algbw,busbw,") != std::string_view::npos);
}

Result<Imported> readRcclTests(std::string_view bytes, const std::string& name)
{
    std::vector<Row> rows;
    if (isJson(bytes)) {
        auto read = rowsOfJson(bytes, name);
        if (!read)
            return read.error();
        rows = std::move(*read);
    } else {
        const auto table = parseCsv(bytes, name);
        if (!table)
            return table.error();
        for (std::size_t i = 1; i < table->size(); ++i) {
            auto row = rowOf((*table)[i], name);
            if (!row)
                return row.error();
            rows.push_back(std::move(*row));
        }
    }
    if (rows.empty())
        return badImport(name, 0, "There is no row of figures under the heads", kHow);
    std::set<std::string> collectives, kinds;
    std::set<int> cycles, ranks;
    std::size_t wrong = 0;
    for (const Row& row : rows) {
        collectives.insert(row.collective);
        kinds.insert(row.type + " " + row.redop);
        cycles.insert(row.cycle);
        ranks.insert(row.ranks);
        wrong += row.wrong;
    }
    Imported imported;
    imported.kind = "benchmark report";
    FigureList figures(imported);
    for (const Row& row : rows) {
        std::string of = (collectives.size() > 1 ? row.collective + ", " : "") + formatQuantity(row.size, "bytes");
        if (kinds.size() > 1)
            of += ", " + row.type + " " + row.redop;
        if (cycles.size() > 1)
            of += ", cycle " + std::to_string(row.cycle);
        const std::string place = row.inPlace ? ", in place" : ", out of place";
        figures.add("time" + place, row.time, "us", of, row.line);
        figures.add("algbw" + place, row.algbw, "GB/s", of, row.line);
        figures.add("busbw" + place, row.busbw, "GB/s", of, row.line);
    }
    const bool same = ranks.size() == 1 && *ranks.begin() > 0;
    if (same)
        imported.machine.emplace_back("ranks", std::to_string(*ranks.begin()));
    if (wrong > 0)
        imported.notes.push_back(counted(wrong, "row") +
                                 " with wrong results: figures of a collective that computes wrongly mean nothing.");
    imported.title = counted(rows.size(), "row") + " of rccl-tests" +
                     (collectives.size() == 1 ? ", " + *collectives.begin() : std::string()) +
                     (same ? " on " + counted(static_cast<std::size_t>(*ranks.begin()), "rank") : std::string());
    return imported;
}

} // namespace ridge::imports
