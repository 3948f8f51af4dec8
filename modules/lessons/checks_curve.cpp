// SPDX-License-Identifier: GPL-3.0-or-later
// Checks over a curve (a metric along one parameter) and over a field of contestants.
#include "lessons/checks_rules.h"

#include "lessons/placeholders.h"

#include "base/units.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace ridge::lessons {
namespace {

constexpr double kBelow = 2;     ///< so far left of its bend a curve rises as if the other limit were not there …
constexpr double kBeyond = 1.25; ///< … and so far right of it, it is flat
constexpr double kFlat = 1.1;    ///< neighbours on one plateau lie within 10 %

struct Point {
    double x = 0, y = 0;
};

/// A curve has one target and one setting of everything but the parameter along which it runs.
using CurveKey = std::pair<std::string, ParamSet>;

CurveKey curveOf(const EvidenceRun& run, const CheckSpec& check)
{
    return {run.target, without(run.params, {check.along})};
}

std::optional<double> alongOf(const EvidenceRun& run, const CheckSpec& check)
{
    const auto found = run.params.find(check.along);
    return found == run.params.end() ? std::nullopt : asNumber(found->second);
}

/// The curves in the evidence, by x; the newest run of each point counts.
std::vector<std::vector<Point>> curvesOf(const CheckSpec& check, const Evidence& evidence)
{
    std::map<CurveKey, std::map<double, double>> curves;
    for (const EvidenceRun* run : runsOf(check, evidence))
        if (const std::optional<double> x = alongOf(*run, check))
            curves[curveOf(*run, check)][*x] = metricOf(*run, check);
    std::vector<std::vector<Point>> list;
    for (const auto& [key, values] : curves) {
        std::vector<Point> points;
        for (const auto& [x, y] : values)
            points.push_back({x, y});
        list.push_back(std::move(points));
    }
    return list;
}

std::string sweepWanted(const CheckSpec& check)
{
    return "sweep " + check.experiment + " along " + check.along;
}

/// Levels of the flat stretches, lowest first. A stretch is two or more neighbours that all lie within 10 % of each
/// other; one that does not rise by `rise` over what stood before it belongs to that plateau, so that a slow drift is
/// one plateau and not many.
std::vector<double> plateausOf(const std::vector<Point>& points, double rise)
{
    std::vector<double> levels;
    double highest = 0;
    for (std::size_t begin = 0; begin < points.size();) {
        double low = points[begin].y, high = low, sum = 0;
        std::size_t end = begin;
        while (end < points.size() && points[end].y > 0 &&
               std::max(high, points[end].y) <= kFlat * std::min(low, points[end].y) * (1 + 1e-9)) {
            low = std::min(low, points[end].y);
            high = std::max(high, points[end].y);
            sum += points[end++].y;
        }
        if (end - begin < 2) {
            ++begin;
            continue;
        }
        const double level = sum / static_cast<double>(end - begin);
        if (levels.empty() || level >= rise * highest * (1 - 1e-9))
            levels.push_back(level);
        highest = std::max(highest, level);
        begin = end;
    }
    return levels;
}

struct Line {
    double a = 0, b = 0; ///< y = a + b x
    double residual = 0; ///< mean of |y − (a + b x)| / |y|
    std::size_t points = 0;
};

/// Least squares in relative error: each residual is divided by its y, so that small and large points weigh the same.
/// No value when the points do not settle a line (one x, a y of 0).
std::optional<Line> fit(const std::vector<Point>& points)
{
    // Normal equations of u·a + v·b = 1 with u = 1/y, v = x/y, in x scaled to at most 1 so that bytes and seconds mix.
    double scale = 0;
    for (const Point& p : points)
        scale = std::max(scale, std::abs(p.x));
    if (scale == 0)
        return std::nullopt;
    double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
    for (const Point& p : points) {
        if (p.y == 0)
            return std::nullopt;
        const double u = 1 / p.y, v = p.x / scale / p.y;
        uu += u * u;
        uv += u * v;
        vv += v * v;
        u1 += u;
        v1 += v;
    }
    const double det = uu * vv - uv * uv;
    if (det <= 1e-18 * uu * vv)
        return std::nullopt;
    Line line{(u1 * vv - v1 * uv) / det, (v1 * uu - u1 * uv) / det / scale, 0, points.size()};
    for (const Point& p : points)
        line.residual += std::abs(p.y - line.a - line.b * p.x) / std::abs(p.y) / static_cast<double>(points.size());
    return line;
}

/// Where the metric passes `level` between two neighbours, on a straight line in the logarithms where all is positive.
std::optional<double> crossingBetween(const Point& from, const Point& to, double level)
{
    if ((from.y < level) == (to.y < level))
        return std::nullopt;
    if (from.x > 0 && from.y > 0 && to.y > 0 && level > 0) {
        const double share = std::log(level / from.y) / std::log(to.y / from.y);
        return from.x * std::pow(to.x / from.x, share);
    }
    return from.x + (level - from.y) / (to.y - from.y) * (to.x - from.x);
}

/// Where a curve y = min(P, B·x) bends: P and B are fitted in logarithms for every split of the points into a rising
/// and a flat part, the split with the least sum of squares counts. Four points or more, all positive.
double bendOf(const std::vector<Point>& points)
{
    double bend = 0, least = std::numeric_limits<double>::infinity();
    for (std::size_t split = 2; split < points.size(); ++split) {
        double slope = 0, peak = 0, squares = 0;
        for (std::size_t i = 0; i < points.size(); ++i)
            (i < split ? slope : peak) += std::log(i < split ? points[i].y / points[i].x : points[i].y);
        slope /= static_cast<double>(split);
        peak /= static_cast<double>(points.size() - split);
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double off = i < split ? std::log(points[i].y / points[i].x) - slope : std::log(points[i].y) - peak;
            squares += off * off;
        }
        if (squares < least) {
            least = squares;
            bend = std::exp(peak - slope);
        }
    }
    return bend;
}

struct Crossing {
    double x = 0;
    std::string sweep;
};

/// The most sweeps whose crossings lie within the factor of each other, and where the first and last of those lie.
struct Agreement {
    std::size_t sweeps = 0;
    double from = 0, to = 0;
};

Agreement agreementOf(std::vector<Crossing> crossings, double within)
{
    std::sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) { return a.x < b.x; });
    Agreement best;
    for (std::size_t i = 0; i < crossings.size(); ++i) {
        std::set<std::string> sweeps;
        std::size_t k = i;
        for (; k < crossings.size() && crossings[k].x <= crossings[i].x * within * (1 + 1e-9); ++k)
            sweeps.insert(crossings[k].sweep);
        if (sweeps.size() > best.sweeps)
            best = {sweeps.size(), crossings[i].x, crossings[k - 1].x};
    }
    return best;
}

} // namespace

Verdict checkPlateaus(const CheckSpec& check, const Evidence& evidence)
{
    std::vector<double> best;
    bool swept = false;
    for (const std::vector<Point>& points : curvesOf(check, evidence)) {
        swept = swept || points.size() >= 2 * static_cast<std::size_t>(check.count);
        if (std::vector<double> levels = plateausOf(points, check.rise); levels.size() > best.size())
            best = std::move(levels);
    }
    std::string list;
    const std::string unit = unitOf(check, evidence);
    for (const double level : best)
        list += (list.empty() ? ": " : ", ") + formatQuantity(level, unit);
    const std::string seen = countText(best.size(), "plateau") + " of " + check.metric + list;
    if (best.size() >= static_cast<std::size_t>(check.count))
        return {CheckState::Passed, seen};
    const std::string needed = ", " + std::to_string(check.count) + " needed";
    return {swept ? CheckState::Failed : CheckState::Missing, swept ? seen + needed : sweepWanted(check)};
}

Verdict checkLinearFit(const CheckSpec& check, const Evidence& evidence)
{
    std::optional<Line> best;
    std::size_t most = 0;
    for (const std::vector<Point>& points : curvesOf(check, evidence)) {
        most = std::max(most, points.size());
        if (points.size() < static_cast<std::size_t>(check.points))
            continue;
        const std::optional<Line> line = fit(points);
        if (line && (!best || line->residual < best->residual))
            best = line;
    }
    if (!best)
        return {CheckState::Missing, countText(most, "point") + " of " + std::to_string(check.points) + "; " +
                                         sweepWanted(check) + ", all else equal and on the same target"};
    const std::string found =
        check.metric + " = a + b × " + check.along + " with a = " + formatQuantity(best->a, unitOf(check, evidence)) +
        ", b = " + formatNumber(best->b) + ", a/b = " + formatNumber(best->a / best->b) + "; mean residual " +
        formatNumber(100 * best->residual) + " % over " + countText(best->points, "point");
    const double allowed = check.max.value_or(0);
    if (best->residual <= allowed)
        return {CheckState::Passed, found};
    return {CheckState::Failed, found + ", at most " + formatNumber(100 * allowed) + " % is a line"};
}

Verdict checkCrossing(const CheckSpec& check, const Evidence& evidence)
{
    std::map<std::pair<CurveKey, std::string>, std::map<double, double>> sweeps;
    for (const EvidenceRun* run : runsOf(check, evidence))
        if (const std::optional<double> x = alongOf(*run, check))
            sweeps[{curveOf(*run, check), run->sweep}][*x] = metricOf(*run, check);
    std::map<CurveKey, std::vector<Crossing>> crossings;
    std::size_t swept = 0;
    std::set<std::string> crossed;
    for (const auto& [key, values] : sweeps) {
        swept += values.size() > 1 ? 1 : 0;
        for (auto from = values.begin(), to = from; to != values.end(); from = to++)
            if (const auto x = crossingBetween({from->first, from->second}, {to->first, to->second}, check.level)) {
                crossings[key.first].push_back({*x, key.second});
                crossed.insert(key.second);
            }
    }
    const std::string level = formatQuantity(check.level, unitOf(check, evidence));
    const std::string what = check.metric + " crosses " + level;
    Agreement best;
    for (const auto& [curve, list] : crossings)
        if (const Agreement found = agreementOf(list, check.within); found.sweeps > best.sweeps)
            best = found;
    const std::string where = " at " + check.along + " = " + formatNumber(best.from) +
                              (same(best.from, best.to) ? "" : " to " + formatNumber(best.to));
    const auto repeats = static_cast<std::size_t>(check.repeats);
    if (best.sweeps >= repeats)
        return {CheckState::Passed, what + where + " in " + countText(best.sweeps, "sweep")};
    if (swept == 0)
        return {CheckState::Missing, sweepWanted(check)};
    if (crossed.empty())
        return {swept >= repeats ? CheckState::Failed : CheckState::Missing,
                check.metric + " does not cross " + level + " in " + countText(swept, "sweep")};
    if (crossed.size() >= repeats) {
        std::set<double> places;
        for (const auto& [curve, list] : crossings)
            for (const Crossing& crossing : list)
                places.insert(crossing.x);
        const double first = *places.begin(), last = *places.rbegin();
        const std::string between =
            same(first, last) // the same place on two targets
                ? ""
                : ": from " + check.along + " = " + formatNumber(first) + " to " + formatNumber(last);
        return {CheckState::Failed, what + " in " + countText(crossed.size(), "sweep") +
                                        ", but not within a factor of " + formatNumber(check.within) + between +
                                        "; close what else is running and run the sweep once more, " +
                                        std::to_string(check.repeats) + " of one target must agree"};
    }
    return {CheckState::Missing, what + where + " in " + countText(crossed.size(), "sweep") +
                                     "; run the sweep again, " + std::to_string(check.repeats) + " must agree"};
}

double medianOf(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// What the two parts of a curve say by themselves, away from its bend.
struct Parts {
    double bend = 0; ///< peak over slope
    double rise = 1; ///< e of y ∝ x^e left of the bend: 1 in proportion
};

/// Medians (for the rise, of all pairs: Theil 1950, Sen 1968), because a processor's memory is shared: one point in
/// nine that was disturbed must not decide. Nothing when a part has no point.
std::optional<Parts> partsOf(const std::vector<Point>& points, double bend)
{
    std::vector<double> slopes, peaks, rises;
    for (auto point = points.begin(); point != points.end(); ++point) {
        if (point->x >= bend * kBeyond)
            peaks.push_back(point->y);
        if (point->x * kBelow > bend)
            continue;
        slopes.push_back(point->y / point->x);
        for (auto before = points.begin(); before != point; ++before)
            rises.push_back(std::log(point->y / before->y) / std::log(point->x / before->x));
    }
    if (slopes.empty() || peaks.empty())
        return std::nullopt;
    Parts parts;
    parts.bend = medianOf(std::move(peaks)) / medianOf(std::move(slopes));
    if (!rises.empty())
        parts.rise = medianOf(std::move(rises));
    return parts;
}

/// The bend is fitted to all points, the limits are read off away from it: agreement, and a rise in proportion, say
/// that the curve has two straight parts and that both were reached.
Verdict checkKnee(const CheckSpec& check, const Evidence& evidence)
{
    std::map<CurveKey, std::map<double, double>> curves;
    for (const EvidenceRun* run : runsOf(check, evidence)) {
        const auto metric = run->metrics.find(check.along);
        const std::optional<double> x =
            metric != run->metrics.end() ? std::optional(metric->second.value) : alongOf(*run, check);
        // What a metric is plotted against follows from all parameters, so that a target has one such curve.
        const CurveKey curve = metric != run->metrics.end() ? CurveKey{run->target, {}} : curveOf(*run, check);
        if (x && *x > 0 && metricOf(*run, check) > 0)
            curves[curve][*x] = metricOf(*run, check);
    }
    Verdict verdict{CheckState::Missing, {}};
    std::size_t most = 0;
    for (const auto& [curve, values] : curves) {
        most = std::max(most, values.size());
        if (values.size() < static_cast<std::size_t>(check.points))
            continue;
        std::vector<Point> points;
        for (const auto& [x, y] : values)
            points.push_back({x, y});
        const double bend = bendOf(points);
        const std::optional<Parts> parts = partsOf(points, bend);
        if (!parts) {
            if (verdict.state == CheckState::Missing)
                verdict.detail = "bend at " + check.along + " = " + formatNumber(bend) + " in " +
                                 countText(points.size(), "point") +
                                 "; the curve ends at its bend, run further to both sides of it";
            continue;
        }
        const double apart = std::abs(bend / parts->bend - 1);
        const std::string found = "bend at " + check.along + " = " + formatNumber(bend) + ", peak over slope " +
                                  formatNumber(parts->bend) + " (" + formatNumber(std::round(1000 * apart) / 10) +
                                  " % apart), " + countText(points.size(), "point");
        const bool straight = std::abs(parts->rise - 1) <= check.tolerance;
        if (straight && apart <= check.tolerance)
            return {CheckState::Passed, found};
        verdict = {CheckState::Failed, straight
                                           ? found
                                           : found + "; below its bend " + check.metric + " grows as " + check.along +
                                                 " to the power " + formatNumber(std::round(100 * parts->rise) / 100) +
                                                 ", not in proportion"};
    }
    if (verdict.detail.empty())
        verdict.detail = countText(most, "point") + " of " + std::to_string(check.points) + "; " + sweepWanted(check);
    return verdict;
}

namespace {

/// How far from its size a step may lie on this target.
double withinOf(const CheckSpec& check, const std::string& target)
{
    const auto own = check.withinOn.find(target.substr(0, target.find(':')));
    return own == check.withinOn.end() ? check.within : asNumber(own->second).value_or(check.within);
}

struct Window {
    std::map<double, double>::const_iterator from, end;
};

Verdict judgeStep(const CheckSpec& check, const Window& window, double size, double within)
{
    const double before = window.from->second, after = std::prev(window.end)->second;
    const std::string told = check.size + " " + formatNumber(size);
    if (after < check.rise * before * (1 - 1e-9))
        return {CheckState::Failed, check.metric + " is " + formatNumber(before) + " before and " +
                                        formatNumber(after) + " after " + told + ", which is no step"};
    std::optional<double> at;
    for (auto point = window.from; std::next(point) != window.end && !at; ++point)
        at = crossingBetween({point->first, point->second}, {std::next(point)->first, std::next(point)->second},
                             std::sqrt(before * after));
    const std::string found = "step from " + formatNumber(before) + " to " + formatNumber(after) + " at " +
                              check.along + " = " + formatNumber(*at) + ", " + told;
    if (std::max(*at / size, size / *at) <= within * (1 + 1e-9))
        return {CheckState::Passed, found};
    return {CheckState::Failed, found + ", more than a factor of " + formatNumber(within) + " apart"};
}

} // namespace

/// A step is where the curve passes the middle, in logarithms, between where it stands `within`² below the size and
/// `within`² above it: so far from it the levels before and after show whatever a slope between them does. A window
/// that the points do not fill is narrower, but reaches past the bounds on both sides.
Verdict checkStep(const CheckSpec& check, const Evidence& evidence)
{
    std::map<CurveKey, std::map<double, double>> curves;
    std::map<CurveKey, double> sizes;
    for (const EvidenceRun* run : runsOf(check, evidence)) {
        const auto size = run->metrics.find(check.size);
        const std::optional<double> x = alongOf(*run, check);
        if (size == run->metrics.end() || size->second.value <= 0 || !x || *x <= 0 || metricOf(*run, check) <= 0)
            continue;
        curves[curveOf(*run, check)][*x] = metricOf(*run, check);
        sizes[curveOf(*run, check)] = size->second.value;
    }
    Verdict verdict{CheckState::Missing,
                    sweepWanted(check) + (curves.empty() ? ", on a target that tells " + check.size : std::string())};
    for (const auto& [curve, values] : curves) {
        const double within = withinOf(check, curve.first), size = sizes.at(curve), wide = within * within;
        const std::string told = check.size + " " + formatNumber(size);
        const auto from = values.lower_bound(size / wide * (1 - 1e-9)),
                   end = values.upper_bound(size * wide * (1 + 1e-9));
        if (from == end || from->first > size / within || std::prev(end)->first < size * within) {
            verdict.detail = sweepWanted(check) + " from " + formatNumber(size / within) + " or less to " +
                             formatNumber(size * within) + " or more, " + told;
            continue;
        }
        // A level further up may begin within the window: then one that ends on the level between shows the step.
        std::optional<Verdict> farthest;
        for (auto last = end; std::prev(last) != from && std::prev(last)->first >= size * within * (1 - 1e-9); --last) {
            const bool isLevel = std::prev(last)->second < std::prev(last, 2)->second * std::sqrt(check.rise);
            if (farthest && !isLevel)
                continue;
            const Verdict judged = judgeStep(check, {from, last}, size, within);
            if (judged.state == CheckState::Passed)
                return judged;
            farthest = farthest ? farthest : judged;
        }
        if (farthest)
            verdict = *farthest;
    }
    return verdict;
}

/// A group whose best two are equal has no winner.
namespace {

/// What a contestant may not change from one group to the next, and did; the newest run of a point counts.
std::string movedContestant(const CheckSpec& check, const Evidence& evidence)
{
    std::map<CurveKey, std::map<std::string, const EvidenceRun*>> newest;
    for (const EvidenceRun* run : runsOf(check, evidence))
        if (const auto contestant = run->params.find(check.among); contestant != run->params.end())
            newest[{run->target, only(run->params, check.by)}][toText(contestant->second)] = run;
    std::map<std::string, std::pair<ParamSet, ParamSet>> held; // contestant -> what it has, and where
    for (const auto& [group, runs] : newest)
        for (const auto& [contestant, run] : runs) {
            const ParamSet has = only(run->params, check.hold);
            const auto [first, fresh] = held.emplace(contestant, std::pair(has, group.second));
            if (!fresh && !matches(has, first->second.first))
                return contestant + " has " + pointText(first->second.first) + " at " +
                       pointText(first->second.second) + " and " + pointText(has) + " at " + pointText(group.second) +
                       "; give it the same in every group";
        }
    return {};
}

} // namespace

Verdict checkWinners(const CheckSpec& check, const Evidence& evidence)
{
    std::map<CurveKey, std::map<std::string, double>> groups;
    for (const EvidenceRun* run : runsOf(check, evidence))
        if (const auto contestant = run->params.find(check.among); contestant != run->params.end())
            groups[{run->target, only(run->params, check.by)}][toText(contestant->second)] = metricOf(*run, check);
    if (const std::string moved = movedContestant(check, evidence); !moved.empty())
        return {CheckState::Failed, moved};
    std::map<std::string, std::string> winners; // winner -> one group that it wins
    std::size_t full = 0;
    for (const auto& [key, results] : groups) {
        if (results.size() < static_cast<std::size_t>(check.contestants))
            continue;
        ++full;
        const auto better = [&](const auto& a, const auto& b) {
            return check.bestIsMax ? a.second > b.second : a.second < b.second;
        };
        const auto best = std::min_element(results.begin(), results.end(), better);
        const auto equals = std::count_if(results.begin(), results.end(),
                                          [&](const auto& one) { return same(one.second, best->second); });
        if (equals == 1)
            winners.emplace(best->first, pointText(key.second));
    }
    std::string list;
    for (const auto& [winner, group] : winners)
        list += (list.empty() ? ": " : "; ") + winner + " at " + group;
    const std::string seen = countText(winners.size(), "different winner") + " in " + countText(full, "group") +
                             " of " + std::to_string(check.contestants) + " or more" + list;
    const auto needed = static_cast<std::size_t>(check.distinct);
    if (winners.size() >= needed)
        return {CheckState::Passed, seen};
    return {CheckState::Missing,
            seen + "; " + std::to_string(check.distinct) + " needed, vary " + check.among + " and what you group by"};
}

} // namespace ridge::lessons
