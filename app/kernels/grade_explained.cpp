// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/grade_explained.h"

#include "base/median.h"
#include "base/ratio_credit.h"
#include "base/units.h"

#include <QCoreApplication>
#include <cmath>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("GradeExplained", text);
}

QString q(const std::string& text)
{
    return QString::fromStdString(text);
}

QString tenths(double value)
{
    return q(formatNumber(std::round(10 * value) / 10));
}

QString seconds(double value)
{
    return q(formatQuantity(value, "s"));
}

std::optional<double> medianTime(const GradeFacts& facts, std::optional<double> LaunchFacts::*time)
{
    std::vector<double> values;
    for (const LaunchFacts& launch : facts.launches)
        if (launch.timed && launch.*time)
            values.push_back(*(launch.*time));
    return values.empty() ? std::nullopt : std::optional(medianOf(std::move(values)));
}

/// What makes the floor: the bytes, or the operations.
QString floorIsOf(const GradedKernel& graded)
{
    GradeRoof bytes = graded.verdict.roof;
    bytes.flopsPerSecond = 0;
    for (const LaunchFacts& launch : graded.facts.launches)
        if (launch.timed && launch.at < graded.facts.cases.size())
            return floorSeconds(graded.task, graded.facts.cases[launch.at].sizes, bytes) >= graded.verdict.floorSeconds
                       ? tr("the bytes that any kernel must move")
                       : tr("the operations that any kernel must do");
    return {};
}

} // namespace

std::optional<GradeExplanation> explainGrade(const GradedKernel& graded)
{
    const GradeVerdict& verdict = graded.verdict;
    if (!verdict.accepted)
        return std::nullopt;
    GradeExplanation said;
    const auto own = medianTime(graded.facts, &LaunchFacts::seconds);
    const auto ours = medianTime(graded.facts, &LaunchFacts::referenceSeconds);
    const double floor = verdict.floorSeconds;
    const auto factor = [floor](double time) { return tenths(time / floor); };
    if (floor > 0 && own && *own > floor)
        said.limit = tr("A launch takes %1. For %2 the machine needs %3 at the least: it takes %4 times that.")
                         .arg(seconds(*own), floorIsOf(graded), seconds(floor), factor(*own));
    if (floor > 0 && ours && *ours > floor)
        said.ours = tr("Our solution takes %1, %2 times the least.").arg(seconds(*ours), factor(*ours));

    const auto& instructions = verdict.instructionRatio;
    const auto& time = verdict.timeRatio;
    const double left = verdict.outOf - verdict.points;
    if (instructions && *instructions > kFullCredit)
        said.change =
            tr("Fewer instructions come first: it executes %1 times as many as our solution. After a run (F5) "
               "the tab Lines says which lines they are of.")
                .arg(tenths(*instructions));
    else if (time && *time > kFullCredit && instructions)
        said.change = tr("Its instructions are not the matter, their number is near ours; but it takes %1 times as "
                         "long, so it waits. After a run (F5) the tab Stalls says for what, and Lines where.")
                          .arg(tenths(*time));
    else if (time && *time > kFullCredit)
        said.change =
            tr("It takes %1 times as long as our solution. A run on a simulated chip says whether it executes "
               "more or waits more.")
                .arg(tenths(*time));
    else if (time && *time < 1 / kFullCredit)
        said.change = tr("It is %1 times as fast as our solution.").arg(tenths(1 / *time));
    else if (time || instructions)
        said.change = tr("It is as good as our solution, as far as that is compared.");
    if (left >= 0.05)
        said.change += QLatin1Char(' ') + tr("%1 points are left to win.").arg(tenths(left));
    return said;
}

} // namespace ridge::app
