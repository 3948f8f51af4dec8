// SPDX-License-Identifier: GPL-3.0-or-later
// Checks that look at runs one by one: a law, a ratio, bounds, an order, different values.
#include "lessons/checks_rules.h"

#include "lessons/formula_names.h"
#include "lessons/placeholders.h"

#include "base/units.h"

#include <cmath>
#include <set>

namespace ridge::lessons {
namespace {

/// `tolerance` is relative; where the law says 0 only 0 will do.
bool agree(double value, double wanted, double tolerance)
{
    return std::abs(value - wanted) <= std::max(tolerance, 1e-9) * std::abs(wanted) + 1e-300;
}

/// A point under the names a formula reads; what is no parameter is a metric of the run.
ParamSet withMetrics(const EvidenceRun& run)
{
    ParamSet values = run.params;
    for (const auto& [name, metric] : run.metrics)
        values.emplace(name, metric.value);
    return values;
}

std::string moreNeeded(std::size_t seen, std::size_t needed, const CheckSpec& check)
{
    return countText(seen, "point") + " of " + std::to_string(needed) + " run; run " + check.experiment + " at " +
           std::to_string(needed - seen) + " more";
}

std::string boundsText(const CheckSpec& check, const std::string& unit)
{
    if (check.min && check.max)
        return "between " + formatQuantity(*check.min, unit) + " and " + formatQuantity(*check.max, unit);
    return check.min ? "at least " + formatQuantity(*check.min, unit) : "at most " + formatQuantity(*check.max, unit);
}

bool inside(const CheckSpec& check, double value)
{
    const double slack = 1e-9 * std::max(1.0, std::abs(value));
    return (!check.min || value >= *check.min - slack) && (!check.max || value <= *check.max + slack);
}

std::vector<std::string> namesOf(const std::vector<ParamSet>& sets)
{
    std::set<std::string> names;
    for (const ParamSet& set : sets)
        for (const auto& [name, value] : set)
            names.insert(name);
    return {names.begin(), names.end()};
}

} // namespace

/// The law must hold at every run it speaks of, and be shown at enough different points. Points differ when a
/// parameter that the formula reads differs, so that repeating one point under other settings proves nothing more; a
/// formula over metrics speaks of every setting.
Verdict checkFormula(const CheckSpec& check, const Evidence& evidence)
{
    const Result<std::vector<std::string>> names = formulaNames(check.formula);
    if (!names.ok())
        return {CheckState::Failed, "the check itself is wrong: " + toText(names.error())};
    std::set<ParamSet> points;
    for (const EvidenceRun* run : runsOf(check, evidence)) {
        const bool readsMetrics = std::any_of(names.value().begin(), names.value().end(), [&](const std::string& name) {
            return !run->params.contains(name) && run->metrics.contains(name);
        });
        const ParamSet point = readsMetrics ? run->params : only(run->params, names.value());
        const Result<double> wanted = evaluateFormula(check.formula, withMetrics(*run));
        if (!wanted.ok())
            return {CheckState::Failed, toText(wanted.error())};
        if (!agree(metricOf(*run, check), wanted.value(), check.tolerance))
            return {CheckState::Failed, "at " + pointText(point) + " the run gave " + metricTextOf(*run, check) + ", " +
                                            check.formula + " is " +
                                            formatQuantity(wanted.value(), run->metrics.at(check.metric).unit)};
        points.insert(point);
    }
    const auto needed = static_cast<std::size_t>(std::max(1, check.points));
    if (points.size() < needed)
        return {CheckState::Missing, moreNeeded(points.size(), needed, check)};
    return {CheckState::Passed, check.metric + " = " + check.formula + " at " + countText(points.size(), "point")};
}

/// Two runs can be compared when they differ in nothing but what the check varies.
Verdict checkRatio(const CheckSpec& check, const Evidence& evidence)
{
    const std::vector<std::string> varied = namesOf({check.at, check.over});
    const std::vector<const EvidenceRun*> runs = runsOf(check, evidence);
    Verdict verdict{CheckState::Missing, {}};
    for (const EvidenceRun* a : runs)
        for (const EvidenceRun* b : runs) {
            const double base = metricOf(*b, check);
            if (!matches(a->params, check.at) || !matches(b->params, check.over) || a->target != b->target ||
                without(a->params, varied) != without(b->params, varied) || base == 0)
                continue;
            const double ratio = metricOf(*a, check) / base;
            verdict = {inside(check, ratio) ? CheckState::Passed : CheckState::Failed,
                       check.metric + " at " + pointText(check.at) + " is " + formatNumber(ratio) + " of that at " +
                           pointText(check.over)};
            if (verdict.state == CheckState::Passed)
                return verdict;
        }
    if (verdict.state == CheckState::Missing)
        verdict.detail = "run " + check.experiment + " at " + pointText(check.at) + " and at " + pointText(check.over) +
                         ", all else equal and on the same target";
    return verdict;
}

Verdict checkBound(const CheckSpec& check, const Evidence& evidence)
{
    std::set<ParamSet> points;
    for (const EvidenceRun* run : runsOf(check, evidence)) {
        if (!inside(check, metricOf(*run, check)))
            return {CheckState::Failed, "at " + pointText(run->params) + " " + check.metric + " is " +
                                            metricTextOf(*run, check) + ", not " +
                                            boundsText(check, run->metrics.at(check.metric).unit)};
        points.insert(run->params);
    }
    const auto needed = static_cast<std::size_t>(std::max(1, check.points));
    if (points.size() < needed)
        return {CheckState::Missing, moreNeeded(points.size(), needed, check)};
    return {CheckState::Passed, check.metric + " is " + boundsText(check, unitOf(check, evidence)) + " at " +
                                    countText(points.size(), "point")};
}

/// One target and one setting of what the order does not vary must show it; the newest run of each point counts.
Verdict checkOrder(const CheckSpec& check, const Evidence& evidence)
{
    const std::vector<std::string> varied = namesOf(check.order);
    std::map<std::pair<std::string, ParamSet>, std::vector<const EvidenceRun*>> settings;
    for (const EvidenceRun* run : runsOf(check, evidence)) {
        auto& row = settings[{run->target, without(run->params, varied)}];
        row.resize(check.order.size(), nullptr);
        for (std::size_t i = 0; i < check.order.size(); ++i)
            if (matches(run->params, check.order[i]))
                row[i] = run;
    }
    std::size_t missing = check.order.size();
    std::string open, against;
    for (const auto& [setting, row] : settings) {
        std::string lacks, values, wrong;
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (!row[i]) {
                lacks += (lacks.empty() ? "" : "; ") + pointText(check.order[i]);
                continue;
            }
            values += (values.empty() ? "" : ", ") + metricTextOf(*row[i], check);
            const double before = i > 0 && row[i - 1] ? metricOf(*row[i - 1], check) : 0;
            if (wrong.empty() && i > 0 && row[i - 1] && metricOf(*row[i], check) < before * check.ratio * (1 - 1e-9))
                wrong = check.metric + " at " + pointText(check.order[i]) + " is " + metricTextOf(*row[i], check) +
                        ", at " + pointText(check.order[i - 1]) + " it is " + metricTextOf(*row[i - 1], check);
        }
        const auto gaps = static_cast<std::size_t>(std::count(row.begin(), row.end(), nullptr));
        if (gaps == 0 && wrong.empty())
            return {CheckState::Passed, check.metric + ": " + values + " on " + setting.first};
        if (gaps == 0)
            against = wrong;
        else if (gaps < missing || open.empty()) {
            missing = gaps;
            open = lacks;
        }
    }
    if (!against.empty())
        return {CheckState::Failed, against};
    return {CheckState::Missing, "run " + check.experiment + " at " +
                                     (open.empty() ? countText(check.order.size(), "point") + " of the order" : open) +
                                     ", all else equal and on the same target"};
}

Verdict checkCount(const CheckSpec& check, const Evidence& evidence)
{
    std::vector<double> values;
    for (const EvidenceRun* run : runsOf(check, evidence)) {
        const double value = metricOf(*run, check);
        if (std::none_of(values.begin(), values.end(), [&](double seen) { return same(seen, value); }))
            values.push_back(value);
    }
    std::sort(values.begin(), values.end());
    std::string list;
    const std::string unit = unitOf(check, evidence);
    for (const double value : values)
        list += (list.empty() ? ": " : ", ") + formatQuantity(value, unit);
    const bool enough = values.size() >= static_cast<std::size_t>(check.distinct);
    return {enough ? CheckState::Passed : CheckState::Missing,
            countText(values.size(), "different value") + " of " + check.metric + " seen" +
                (enough ? "" : ", " + std::to_string(check.distinct) + " needed") + (values.size() > 12 ? "" : list)};
}

} // namespace ridge::lessons
