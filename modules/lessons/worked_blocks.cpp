// SPDX-License-Identifier: GPL-3.0-or-later
// The bodies of explain, draw, worksheet and compare blocks, and the rules that one block alone can break.
#include "lessons/parse.h"

#include <cmath>
#include <set>

namespace ridge::lessons {
namespace {

bool isName(std::string_view text)
{
    return !text.empty() && ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z')) &&
           std::ranges::all_of(text, [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
           });
}

/// A name that formulas of the sheet can call, used once.
void checkName(const Fields& fields, const std::string& name, std::set<std::string>& seen)
{
    if (name.empty())
        return;
    if (!isName(name))
        fields.problem("name", "'" + name + "' cannot stand in a formula; use letters, digits and '_', a letter first");
    else if (!seen.insert(name).second)
        fields.problem("name", "the name '" + name + "' is used twice in this worksheet; rename one");
}

} // namespace

DrawBlock parseDraw(const Fields& fields)
{
    constexpr std::array<std::string_view, 2> scales = {"log", "linear"};
    DrawBlock block;
    block.question = fields.text("question");
    block.experiment = fields.text("experiment");
    block.metric = fields.text("metric");
    block.unit = fields.text("unit");
    block.set = fields.params("set", Need::Optional);
    block.sweep = fields.text("sweep");
    block.min = fields.number("min");
    block.max = fields.number("max");
    block.logScale = fields.oneOf("scale", scales, "log") != "linear";
    block.mechanism = fields.text("mechanism");
    if (fields.has("again"))
        block.again = fields.paramSets("again");
    if (fields.has("min") && fields.has("max") && block.min >= block.max)
        fields.problem("max", "'max' is not above 'min'; the axis needs a range");
    if (block.logScale && fields.has("min") && block.min <= 0)
        fields.problem("min", "'min' must be above 0 on a log scale; raise it or set 'scale: linear'");
    const std::string axis = block.sweep.substr(0, block.sweep.find('='));
    for (const ParamSet& set : block.again)
        if (set.contains(axis))
            fields.problem("again", "'again' sets '" + axis + "', along which the curve runs; drop it there");
    return block;
}

WorksheetBlock parseWorksheet(const Fields& fields, const YamlPlace& place)
{
    WorksheetBlock block;
    std::set<std::string> names;
    block.title = fields.text("title");
    block.caption = fields.text("caption", Need::Optional);
    block.vars = fields.instances("vars");
    for (const auto& [name, value] : block.vars.empty() ? ParamSet() : block.vars.front()) {
        names.insert(name);
        if (!isName(name))
            fields.problem("vars", "'" + name + "' cannot stand in a formula; use letters, digits and '_'");
    }
    for (const YAML::Node& node : fields.items("given", Need::Optional)) {
        const Fields row(node, "worksheet row", place, {"name", "label", "unit", "value", "from"});
        block.given.push_back({row.text("name"), row.text("label"), row.text("unit", Need::Optional),
                               row.optionalNumber("value"), row.text("from", Need::Optional)});
        checkName(row, block.given.back().name, names);
        if (row.has("value") == row.has("from"))
            row.problem("name", "a given row has either 'value' or 'from'; give it exactly one of them");
    }
    for (const YAML::Node& node : fields.items("cells", Need::Required)) {
        const Fields cell(node, "worksheet cell", place, {"name", "label", "unit", "formula", "tolerance", "hint"});
        block.cells.push_back({cell.text("name"), cell.text("label"), cell.text("unit", Need::Optional),
                               cell.text("formula"), cell.number("tolerance", Need::Optional, 0.01),
                               cell.text("hint", Need::Optional)});
        checkName(cell, block.cells.back().name, names);
        if (block.cells.back().tolerance < 0 || block.cells.back().tolerance > 0.5)
            cell.problem("tolerance", "'tolerance' is a relative difference from 0 to 0.5, as 0.02");
    }
    if (fields.has("cells") && block.cells.empty())
        fields.problem("cells", "'cells' is empty; give the reader something to work out");
    return block;
}

CompareBlock parseCompare(const Fields& fields)
{
    CompareBlock block;
    block.experiment = fields.text("experiment");
    block.after = fields.text("after");
    block.metric = fields.text("metric");
    block.at = fields.params("at");
    block.simulator = fields.text("simulator", Need::Optional);
    block.recorded = fields.texts("recorded", Need::Optional);
    block.caption = fields.text("caption", Need::Optional);
    if (!block.simulator.empty() && block.simulator.find(':') == std::string::npos)
        fields.problem("simulator", "'simulator' is '" + block.simulator + "'; name a target, as sim:h100-sxm");
    return block;
}

} // namespace ridge::lessons
