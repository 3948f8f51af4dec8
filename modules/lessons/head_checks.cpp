// SPDX-License-Identifier: GPL-3.0-or-later
// The checks of a head: which keys each kind has and what their values may be.
#include "lessons/parse.h"

namespace ridge::lessons {
namespace {

using Keys = std::vector<std::string>;

const Keys& keysOfCheck(std::string_view kind)
{
    static const std::map<std::string, Keys, std::less<>> keys = {
        {"metric_formula",
         {"id", "title", "kind", "experiment", "metric", "formula", "tolerance", "points", "where", "hidden"}},
        {"metric_ratio", {"id", "title", "kind", "experiment", "metric", "at", "over", "min", "max", "hidden"}},
        {"metric_bound", {"id", "title", "kind", "experiment", "metric", "where", "min", "max", "points", "hidden"}},
        {"metric_order", {"id", "title", "kind", "experiment", "metric", "where", "order", "ratio", "hidden"}},
        {"metric_count", {"id", "title", "kind", "experiment", "metric", "where", "distinct"}},
        {"plateaus", {"id", "title", "kind", "experiment", "metric", "along", "where", "count", "rise"}},
        {"linear_fit", {"id", "title", "kind", "experiment", "metric", "along", "where", "points", "max"}},
        {"crossing", {"id", "title", "kind", "experiment", "metric", "along", "where", "level", "repeats", "within"}},
        {"knee", {"id", "title", "kind", "experiment", "metric", "along", "where", "points", "tolerance"}},
        {"step",
         {"id", "title", "kind", "experiment", "metric", "along", "where", "size", "within", "within_on", "rise"}},
        {"winners",
         {"id", "title", "kind", "experiment", "metric", "where", "block", "among", "by", "best", "contestants",
          "distinct", "hold"}},
        {"constraint", {"id", "title", "kind", "experiment", "bounds", "where", "block", "points"}},
        {"graded", {"id", "title", "kind", "task", "min"}},
        {"imported", {"id", "title", "kind", "format", "metric", "min", "max"}},
        {"predicted", {"id", "title", "kind", "block"}},
        {"estimated", {"id", "title", "kind", "block", "factor"}},
        {"answered", {"id", "title", "kind", "block", "blocks", "points"}},
        {"drawn", {"id", "title", "kind", "block", "max"}},
        {"shipped", {"id", "title", "kind"}}};
    static const Keys common = {"id", "title", "kind"};
    const auto found = keys.find(kind);
    return found == keys.end() ? common : found->second;
}

int atLeast(const Fields& fields, const std::string& key, Need need, int fallback, int least)
{
    const int value = fields.integer(key, need, fallback);
    if (fields.has(key) && value < least)
        fields.problem(key, "'" + key + "' is below " + std::to_string(least) + "; ask for at least that");
    return value;
}

double factorOf(const Fields& fields, const std::string& key, Need need, double fallback)
{
    const double value = fields.number(key, need, fallback);
    if (fields.has(key) && value < 1)
        fields.problem(key, "'" + key + "' is below 1; a factor is 1 or more");
    return value;
}

void readBounds(const Fields& fields, CheckSpec& check)
{
    check.min = fields.optionalNumber("min");
    check.max = fields.optionalNumber("max");
    if (!check.min && !check.max)
        fields.problem("kind", "a " + check.kind + " needs 'min', 'max' or both");
    else if (check.min && check.max && *check.min > *check.max)
        fields.problem("max", "'max' is below 'min'; nothing lies between them");
}

void readMetricKeys(const Fields& fields, CheckSpec& check)
{
    check.experiment = fields.text("experiment");
    check.metric = fields.text("metric");
    check.where = fields.params("where", Need::Optional);
    if (fields.has("hidden"))
        check.hidden = fields.paramSets("hidden");
    if (check.kind == "metric_formula") {
        check.formula = fields.text("formula");
        check.tolerance = fields.number("tolerance", Need::Optional, 0);
        check.points = atLeast(fields, "points", Need::Optional, 1, 1);
        if (check.tolerance < 0)
            fields.problem("tolerance", "'tolerance' is negative; it is a relative error, as 0.05");
    } else if (check.kind == "metric_ratio") {
        check.at = fields.params("at");
        check.over = fields.params("over");
        readBounds(fields, check);
    } else if (check.kind == "metric_bound") {
        check.points = atLeast(fields, "points", Need::Optional, 1, 1);
        readBounds(fields, check);
    } else if (check.kind == "metric_order") {
        check.order = fields.paramSets("order");
        check.ratio = factorOf(fields, "ratio", Need::Optional, 1);
        if (check.order.size() == 1)
            fields.problem("order", "'order' has one point; an order needs two or more");
    } else {
        check.distinct = atLeast(fields, "distinct", Need::Required, 1, 2);
    }
}

void readCurveKeys(const Fields& fields, CheckSpec& check)
{
    check.experiment = fields.text("experiment");
    check.metric = fields.text("metric");
    check.along = fields.text("along");
    check.where = fields.params("where", Need::Optional);
    if (check.kind == "plateaus") {
        check.count = atLeast(fields, "count", Need::Required, 1, 1);
        check.rise = factorOf(fields, "rise", Need::Optional, 1.25);
    } else if (check.kind == "linear_fit") {
        check.points = atLeast(fields, "points", Need::Optional, 4, 3);
        check.max = fields.number("max");
        if (fields.has("max") && *check.max <= 0)
            fields.problem("max", "'max' is not above 0; it is a relative residual, as 0.1");
    } else if (check.kind == "knee") {
        check.points = atLeast(fields, "points", Need::Optional, 5, 4);
        check.tolerance = fields.number("tolerance", Need::Optional, 0.2);
        if (check.tolerance <= 0)
            fields.problem("tolerance", "'tolerance' is not above 0; it is a relative error, as 0.2");
    } else if (check.kind == "step") {
        check.size = fields.text("size");
        check.within = fields.number("within", Need::Optional, 2);
        check.rise = fields.number("rise", Need::Optional, 1.25);
        if (check.within <= 1)
            fields.problem("within", "'within' is not above 1; it is a factor to both sides, as 2");
        check.withinOn = fields.params("within_on", Need::Optional);
        for (const auto& [target, factor] : check.withinOn)
            if (asNumber(factor).value_or(0) <= 1)
                fields.problem("within_on", "'within_on' gives " + target + " no factor above 1; write {cpu: 4}");
        if (check.rise <= 1)
            fields.problem("rise", "'rise' is not above 1; it is a factor, as 1.25");
    } else {
        check.level = fields.number("level", Need::Optional, 1);
        check.repeats = atLeast(fields, "repeats", Need::Optional, 2, 1);
        check.within = factorOf(fields, "within", Need::Optional, 2);
    }
}

void readWinnersKeys(const Fields& fields, CheckSpec& check)
{
    constexpr std::array<std::string_view, 2> best = {"min", "max"};
    check.experiment = fields.text("experiment");
    check.metric = fields.text("metric");
    check.where = fields.params("where", Need::Optional);
    check.block = fields.text("block", Need::Optional);
    check.among = fields.text("among");
    check.by = fields.texts("by");
    check.bestIsMax = fields.oneOf("best", best, {}) != "min";
    check.contestants = atLeast(fields, "contestants", Need::Optional, 3, 2);
    check.distinct = atLeast(fields, "distinct", Need::Optional, 3, 2);
    check.hold = fields.texts("hold", Need::Optional);
    if (!check.among.empty() && std::find(check.by.begin(), check.by.end(), check.among) != check.by.end())
        fields.problem("by", "'by' groups by '" + check.among + "', whose values compete; drop it there");
}

void readWorkKeys(const Fields& fields, CheckSpec& check, const YamlPlace& place)
{
    if (check.kind == "graded") {
        check.task = fields.text("task");
        check.min = fields.optionalNumber("min");
        if (check.min && (*check.min < 0 || *check.min > 100))
            fields.problem("min", "'min' is a score; write 0 to 100");
        return;
    }
    if (check.kind == "imported") {
        check.format = fields.text("format");
        check.metric = fields.text("metric", Need::Optional);
        check.min = fields.optionalNumber("min");
        check.max = fields.optionalNumber("max");
        if (check.metric.empty() && (check.min || check.max))
            fields.problem("kind", "bounds need the 'metric' that they are about");
        return;
    }
    check.experiment = fields.text("experiment");
    check.where = fields.params("where", Need::Optional);
    check.block = fields.text("block", Need::Optional);
    check.points = atLeast(fields, "points", Need::Optional, 1, 1);
    for (const YAML::Node& node : fields.items("bounds")) {
        const Fields item(node, "bound", place, {"metric", "min", "max"});
        check.bounds.push_back({item.text("metric"), item.optionalNumber("min"), item.optionalNumber("max")});
        const MetricBounds& bound = check.bounds.back();
        if (!bound.min && !bound.max)
            item.problem("metric", "a bound needs 'min', 'max' or both");
        else if (bound.min && bound.max && *bound.min > *bound.max)
            item.problem("max", "'max' is below 'min'; nothing lies between them");
    }
    if (fields.has("bounds") && check.bounds.empty())
        fields.problem("bounds", "'bounds' is empty; name a metric and what it has to lie between");
}

void readBlockKeys(const Fields& fields, CheckSpec& check)
{
    if (check.kind == "answered" && fields.has("blocks")) {
        check.blocks = fields.texts("blocks");
        check.points = atLeast(fields, "points", Need::Optional, static_cast<int>(check.blocks.size()), 1);
        if (fields.has("block"))
            fields.problem("block", "'block' stands beside 'blocks'; keep one of them");
        if (check.points > static_cast<int>(check.blocks.size()))
            fields.problem("points", "'points' asks for " + std::to_string(check.points) + " of " +
                                         std::to_string(check.blocks.size()) + " blocks; nobody can give that");
        return;
    }
    check.block = fields.text("block");
    if (check.kind == "answered" && fields.has("points"))
        fields.problem("points", "'points' goes with 'blocks'; one block is answered or not");
    if (check.kind == "estimated")
        check.factor = factorOf(fields, "factor", Need::Required, 1);
    if (check.kind == "drawn") {
        check.max = fields.number("max");
        if (fields.has("max") && *check.max <= 0)
            fields.problem("max", "'max' is not above 0; it is a mean error, as 0.25");
    }
}

} // namespace

CheckSpec parseCheck(const YAML::Node& node, const YamlPlace& place)
{
    CheckSpec check;
    const std::string kind = node.IsMap() && node["kind"] && node["kind"].IsScalar() ? node["kind"].Scalar() : "";
    const std::string name =
        node.IsMap() && node["id"] && node["id"].IsScalar() ? " '" + node["id"].Scalar() + "'" : "";
    const Fields fields(node, "check" + name, place, keysOfCheck(kind));
    check.span = {place.file, fields.line()};
    check.id = fields.text("id");
    check.title = fields.text("title");
    check.kind = fields.oneOf("kind", kCheckKinds, {});
    if (check.kind.starts_with("metric_"))
        readMetricKeys(fields, check);
    else if (check.kind == "plateaus" || check.kind == "linear_fit" || check.kind == "crossing" ||
             check.kind == "knee" || check.kind == "step")
        readCurveKeys(fields, check);
    else if (check.kind == "winners")
        readWinnersKeys(fields, check);
    else if (check.kind == "constraint" || check.kind == "graded" || check.kind == "imported")
        readWorkKeys(fields, check, place);
    else if (check.kind == "predicted" || check.kind == "estimated" || check.kind == "answered" ||
             check.kind == "drawn")
        readBlockKeys(fields, check);
    return check;
}

} // namespace ridge::lessons
