// SPDX-License-Identifier: GPL-3.0-or-later
#include "parity/parity.h"

#include "base/csv.h"
#include "base/json.h"
#include "base/median.h"
#include "base/number_text.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ridge::parity {
namespace {

Error bad(const std::string& what, const std::string& place, const std::string& fix)
{
    return {"bad-parity", what, place, fix};
}

/// A number that is above zero: times and rates are.
std::optional<double> number(const std::string& text)
{
    std::size_t used = 0;
    const double value = leadingNumber(text, &used);
    if (text.empty() || used != text.size() || !std::isfinite(value) || !(value > 0))
        return {};
    return value;
}

Result<void> readRows(Set& set, const std::filesystem::path& file)
{
    const auto text = readFile(file);
    if (!text)
        return text.error();
    const auto table = parseCsv(*text, file.string());
    if (!table)
        return table.error();
    if (table->size() < 2 || table->front().cells.size() < 3 ||
        table->front().cells[table->front().cells.size() - 2] != "measured" ||
        table->front().cells.back() != "modelled")
        return bad("the table has no rows or other columns", file.string(),
                   "begin it with parameters, then measured and modelled");
    set.columns.assign(table->front().cells.begin(), table->front().cells.end() - 2);
    for (std::size_t i = 1; i < table->size(); ++i) {
        const CsvRow& line = (*table)[i];
        const std::string place = file.string() + ":" + std::to_string(line.line);
        if (line.cells.size() != set.columns.size() + 2)
            return bad("a row has " + std::to_string(line.cells.size()) + " cells", place,
                       "give it " + std::to_string(set.columns.size() + 2));
        Row row;
        row.cells.assign(line.cells.begin(), line.cells.end() - 2);
        const auto measured = number(line.cells[line.cells.size() - 2]);
        if (!measured)
            return bad("nothing was measured", place, "write a number above zero in SI units");
        row.measured = *measured;
        row.modelled = number(line.cells.back());
        if (!row.modelled && !line.cells.back().empty())
            return bad("\"" + line.cells.back() + "\" is no modelled value", place,
                       "leave it empty and run tst_parity with RIDGE_UPDATE_GOLDENS=1");
        set.rows.push_back(std::move(row));
    }
    return {};
}

std::optional<double> goalOf(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

/// What a row is a point of: the same for two sets that asked the same.
std::string pointOf(const Set& set, const Row& row)
{
    std::map<std::string, std::string> named;
    for (std::size_t i = 0; i < set.columns.size(); ++i)
        if (!row.cells[i].empty())
            named[set.columns[i]] = set.columns[i] == "dtype" && row.cells[i] == "fp16" ? "bf16" : row.cells[i];
    std::string point = set.experiment + "|" + set.metric;
    for (const auto& [name, value] : named)
        point += "|" + name + "=" + value;
    return point;
}

} // namespace

Errors errorsOf(const Set& set)
{
    Errors errors;
    std::vector<double> sizes;
    for (const Row& row : set.rows)
        if (row.modelled) {
            sizes.push_back(std::abs(row.error()));
            errors.bias += row.error();
        }
    if (sizes.empty())
        return errors;
    std::sort(sizes.begin(), sizes.end());
    errors.rows = sizes.size();
    for (const double size : sizes)
        errors.mean += size;
    errors.mean /= static_cast<double>(sizes.size());
    errors.bias /= static_cast<double>(sizes.size());
    errors.median = medianOf(sizes);
    errors.ninety = sizes[std::min(sizes.size() - 1, sizes.size() * 9 / 10)];
    errors.worst = sizes.back();
    return errors;
}

bool meets(const Errors& errors, const Goal& goal)
{
    const auto within = [](double value, const std::optional<double>& most) { return !most || value <= *most; };
    return errors.rows > 0 && within(errors.mean, goal.mean) && within(errors.ninety, goal.ninety) &&
           within(errors.worst, goal.worst);
}

std::vector<Spread> spreadsOf(const std::vector<Set>& sets)
{
    std::vector<Spread> all;
    std::vector<std::map<std::string, double>> points(sets.size());
    for (std::size_t i = 0; i < sets.size(); ++i) {
        for (const Row& row : sets[i].rows)
            points[i].emplace(pointOf(sets[i], row), row.measured);
        for (std::size_t j = 0; j < i; ++j) {
            std::vector<double> apart;
            for (const auto& [point, value] : points[i])
                if (const auto other = points[j].find(point); other != points[j].end())
                    apart.push_back(std::max(value, other->second) / std::min(value, other->second) - 1);
            if (!apart.empty())
                all.push_back({sets[j].id, sets[i].id, apart.size(), medianOf(apart),
                               *std::max_element(apart.begin(), apart.end())});
        }
    }
    return all;
}

std::string wordsOf(const Set& set, const Row& row)
{
    std::string words;
    for (std::size_t i = 0; i < set.columns.size(); ++i) {
        const bool differs = std::any_of(set.rows.begin(), set.rows.end(),
                                         [&](const Row& other) { return other.cells[i] != set.rows.front().cells[i]; });
        if (differs && !row.cells[i].empty())
            words += (words.empty() ? "" : ", ") + set.columns[i] + " = " + row.cells[i];
    }
    return words;
}

Result<std::vector<Set>> readSets(const std::filesystem::path& folder)
{
    const std::filesystem::path file = folder / "sets.json";
    const auto text = readFile(file);
    if (!text)
        return text.error();
    const auto json = parseJson(*text, file.string());
    if (!json)
        return json.error();
    const auto list = json->find("sets");
    if (list == json->end() || !list->is_array())
        return bad("there is no list of sets", file.string(), "write {\"sets\": […]}");
    std::vector<Set> sets;
    for (const Json& one : *list) {
        Set set;
        for (const auto& [key, field] : {std::pair{"id", &Set::id},
                                         {"title", &Set::title},
                                         {"group", &Set::group},
                                         {"experiment", &Set::experiment},
                                         {"target", &Set::target},
                                         {"metric", &Set::metric},
                                         {"unit", &Set::unit},
                                         {"source", &Set::source},
                                         {"licence", &Set::licence},
                                         {"method", &Set::method}}) {
            const auto found = one.find(key);
            if (found == one.end() || !found->is_string() || found->get<std::string>().empty())
                return bad("set " + (set.id.empty() ? std::to_string(sets.size() + 1) : set.id) + " has no \"" + key +
                               "\"",
                           file.string(), "every set has it");
            set.*field = found->get<std::string>();
        }
        set.note = one.value("note", "");
        const std::string fitted = one.value("fitted", "");
        if (fitted != "yes" && fitted != "part" && fitted != "no")
            return bad("set " + set.id + " does not say whether it was fitted", file.string(),
                       "write \"fitted\": yes, part or no");
        set.fitted = fitted == "yes" ? Fitted::Yes : fitted == "part" ? Fitted::Part : Fitted::No;
        set.goal = {goalOf(one, "goal_mean"), goalOf(one, "goal_p90"), goalOf(one, "goal_worst")};
        if (auto read = readRows(set, folder / (set.id + ".csv")); !read)
            return read.error();
        sets.push_back(std::move(set));
    }
    return sets;
}

std::string csvOf(const Set& set)
{
    std::string text;
    for (const std::string& column : set.columns)
        text += csvCell(column) + ",";
    text += "measured,modelled\n";
    for (const Row& row : set.rows) {
        for (const std::string& cell : row.cells)
            text += csvCell(cell) + ",";
        text += shortText(row.measured, 10) + "," + (row.modelled ? shortText(*row.modelled, 10) : "") + "\n";
    }
    return text;
}

} // namespace ridge::parity
