// SPDX-License-Identifier: GPL-3.0-or-later
// Checks over what somebody made: a plan within bounds, a graded kernel, a log of their own.
#include "lessons/checks_rules.h"

#include "lessons/placeholders.h"

#include "base/units.h"

#include <set>

namespace ridge::lessons {
namespace {

bool inside(double value, const std::optional<double>& min, const std::optional<double>& max)
{
    const double slack = 1e-9 * std::max(1.0, std::abs(value));
    return (!min || value >= *min - slack) && (!max || value <= *max + slack);
}

std::string boundText(const std::optional<double>& min, const std::optional<double>& max, const std::string& unit)
{
    if (min && max)
        return "between " + formatQuantity(*min, unit) + " and " + formatQuantity(*max, unit);
    return min ? "at least " + formatQuantity(*min, unit) : max ? "at most " + formatQuantity(*max, unit) : "";
}

/// The first bound that a run breaks, in words; empty: it satisfies all. A metric that the run lacks breaks its bound.
std::string brokenBy(const EvidenceRun& run, const CheckSpec& check, int& satisfied)
{
    std::string first;
    for (const MetricBounds& bound : check.bounds) {
        const auto metric = run.metrics.find(bound.metric);
        if (metric != run.metrics.end() && inside(metric->second.value, bound.min, bound.max)) {
            ++satisfied;
            continue;
        }
        if (!first.empty())
            continue;
        if (metric == run.metrics.end())
            first = "it has no " + bound.metric;
        else
            first = bound.metric + " is " + formatQuantity(metric->second.value, metric->second.unit) + ", needed is " +
                    boundText(bound.min, bound.max, metric->second.unit);
    }
    return first;
}

} // namespace

/// One run has to satisfy all bounds: two that satisfy one each are no plan. The run that came nearest is told.
Verdict checkConstraint(const CheckSpec& check, const Evidence& evidence)
{
    std::set<ParamSet> points;
    const EvidenceRun* nearest = nullptr;
    std::string broken;
    int best = -1;
    for (const EvidenceRun& run : evidence.runs) {
        if (run.experiment != check.experiment || !matches(run.params, check.where) ||
            (!check.block.empty() && run.block != check.block))
            continue;
        int satisfied = 0;
        std::string why = brokenBy(run, check, satisfied);
        if (why.empty())
            points.insert(run.params);
        else if (satisfied > best || (satisfied == best && run.seq > nearest->seq)) {
            best = satisfied;
            nearest = &run;
            broken = std::move(why);
        }
    }
    const auto needed = static_cast<std::size_t>(check.points);
    const std::string count =
        countText(points.size(), "plan") + " within all " + std::to_string(check.bounds.size()) + " bounds";
    if (points.size() >= needed)
        return {CheckState::Passed, count + ": " + pointText(*points.begin())};
    const std::string still =
        check.points == 1 ? "no plan within all bounds yet" : count + ", " + std::to_string(check.points) + " needed";
    return {CheckState::Missing,
            still + (nearest ? "; the nearest is " + pointText(nearest->params) + ", where " + broken
                             : "; run " + check.experiment)};
}

Verdict checkGraded(const CheckSpec& check, const Evidence& evidence)
{
    const double least = check.min.value_or(0);
    const EvidenceGrade* best = nullptr;
    for (const EvidenceGrade& grade : evidence.grades)
        if (grade.task == check.task &&
            (!best || std::pair(grade.right, grade.percent) > std::pair(best->right, best->percent)))
            best = &grade;
    if (!best)
        return {CheckState::Missing, "grade a kernel for the task " + check.task + " (ridge kernel grade)"};
    if (!best->right)
        return {CheckState::Failed, "your kernel for " + check.task + " was rejected; its report says where"};
    const std::string found = "accepted with " + formatNumber(best->percent) + " points";
    if (best->percent >= least - 1e-9)
        return {CheckState::Passed, found};
    return {CheckState::Failed, found + ", " + formatNumber(least) + " needed"};
}

Verdict checkImported(const CheckSpec& check, const Evidence& evidence)
{
    const EvidenceFigure* outside = nullptr;
    for (const EvidenceFigure& figure : evidence.figures) {
        if (figure.format != check.format || (!check.metric.empty() && figure.name != check.metric))
            continue;
        if (inside(figure.value, check.min, check.max))
            return {CheckState::Passed, "imported " + figure.name + " = " + formatQuantity(figure.value, figure.unit)};
        outside = &figure;
    }
    if (outside)
        return {CheckState::Failed, outside->name + " is " + formatQuantity(outside->value, outside->unit) +
                                        ", needed is " + boundText(check.min, check.max, outside->unit)};
    return {CheckState::Missing, "import a log of your own (" + check.format + ")" +
                                     (check.metric.empty() ? std::string() : " that has " + check.metric)};
}

} // namespace ridge::lessons
