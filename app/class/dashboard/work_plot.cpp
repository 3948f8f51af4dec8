// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/dashboard/work_plot.h"

#include "app/class/dashboard/class_texts.h"
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_paint.h"
#include "app/drawing/charts/prediction_mark.h"
#include "base/json.h"
#include "record/chart_runs.h"

#include <QCoreApplication>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace ridge::app {
namespace {

constexpr double kMark = 9;
constexpr double kWidest = 1024; ///< factors beyond it count into the last bin and stand at the edge

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Work", text);
}

QString valueText(WorkAxis axis, double value)
{
    if (axis == WorkAxis::Points)
        return tr("%1 points").arg(QString::number(std::round(value)));
    const QString factor = QString::number(value, 'g', 3) + QStringLiteral("×");
    return axis == WorkAxis::Factor ? tr("off by %1").arg(factor) : tr("intervals of %1").arg(factor);
}

QString tooFew()
{
    return tr("Shown from %1 learners on, so that nobody can be told from the picture.").arg(kLeastAnonymous);
}

} // namespace

QString workAxisTitle(WorkAxis axis)
{
    switch (axis) {
    case WorkAxis::Points:
        return tr("points of the assignment");
    case WorkAxis::Factor:
        return tr("prediction and result apart, median factor");
    case WorkAxis::Interval:
        return tr("80 % interval, high over low, median");
    }
    return {};
}

bool moreIsBetter(WorkAxis axis)
{
    return axis == WorkAxis::Points;
}

std::optional<double> valueOn(const classroom::WorkPoint& work, WorkAxis axis)
{
    if (axis == WorkAxis::Points)
        return work.points;
    const auto value = axis == WorkAxis::Factor ? work.factor : work.interval;
    return value && std::isfinite(*value) ? std::optional(std::clamp(*value, 1.0, kWidest)) : std::nullopt;
}

BinsData workBins(const classroom::ClassReport& report, WorkAxis axis)
{
    BinsData data;
    data.kind = QStringLiteral("distribution");
    data.xTitle = workAxisTitle(axis);
    std::vector<double> values;
    for (const classroom::WorkPoint& one : report.work)
        if (const auto value = valueOn(one, axis))
            values.push_back(*value);
    const auto n = static_cast<int>(values.size());
    if (n < kLeastAnonymous) {
        data.title = axis == WorkAxis::Points   ? tr("Points")
                     : axis == WorkAxis::Factor ? tr("How near predictions were")
                                                : tr("How wide their intervals were");
        data.emptyText = tooFew();
        return data;
    }
    std::ranges::sort(values);
    const double median = (values[static_cast<std::size_t>((n - 1) / 2)] + values[static_cast<std::size_t>(n / 2)]) / 2;
    if (axis == WorkAxis::Points) {
        data.title = tr("Points");
        data.caption = tr("n = %1 · median %2; nobody has a rank").arg(n).arg(std::round(median));
        data.summary = tr("Points of %1 learners: median %2, from %3 to %4.")
                           .arg(n)
                           .arg(std::round(median))
                           .arg(std::round(values.front()))
                           .arg(std::round(values.back()));
        data.bins = report.grades;
        return data;
    }
    data.log = true;
    data.title = axis == WorkAxis::Factor ? tr("How near predictions were") : tr("How wide their intervals were");
    data.caption = tr("n = %1 · median %2×; 1× is %3")
                       .arg(n)
                       .arg(median, 0, 'g', 3)
                       .arg(axis == WorkAxis::Factor ? tr("exact") : tr("a single number"));
    data.summary = tr("%1 of %2 learners: median %3×, from %4× to %5×.")
                       .arg(asStart(workAxisTitle(axis)))
                       .arg(n)
                       .arg(median, 0, 'g', 3)
                       .arg(values.front(), 0, 'g', 3)
                       .arg(values.back(), 0, 'g', 3);
    const int halves = std::max(6, static_cast<int>(std::ceil(2 * std::log2(values.back()) + 1e-9)));
    const int step = halves > 14 ? 2 : 1; // a bin a half octave, or an octave
    for (int half = 0; half < halves; half += step)
        data.bins.push_back({std::exp2(half / 2.0), std::exp2((half + step) / 2.0), 0});
    for (const double value : values) {
        const auto bin = static_cast<std::size_t>(2 * std::log2(value) / step);
        ++data.bins[std::min(bin, data.bins.size() - 1)].count;
    }
    return data;
}

WorkPlot::WorkPlot(const std::vector<classroom::WorkPoint>& work, WorkAxis x, WorkAxis y) : m_x(x), m_y(y)
{
    std::map<std::pair<double, double>, int> places;
    for (const classroom::WorkPoint& one : work)
        if (const auto atX = valueOn(one, x), atY = valueOn(one, y); atX && atY) {
            ++places[{*atX, *atY}];
            ++m_learners;
        }
    std::vector<std::pair<double, double>> points;
    for (const auto& [at, learners] : places) {
        points.push_back(at);
        m_marks.push_back({{at.first, at.second}, learners, false});
    }
    for (const std::size_t i : record::paretoFront(points, moreIsBetter(x), moreIsBetter(y))) {
        m_marks[i].front = true;
        m_onFront += m_marks[i].learners;
    }
}

bool WorkPlot::empty() const
{
    return m_learners < kLeastAnonymous;
}

PlotText WorkPlot::text() const
{
    PlotText text{tr("Two axes against each other"), {}, tooFew()};
    if (!empty())
        text.caption = tr("n = %1 · filled marks and the line are the Pareto front: nobody in the class is better on "
                          "one of the two axes without giving way on the other. There are several ways to stand on it.")
                           .arg(m_learners);
    return text;
}

QString WorkPlot::summary() const
{
    if (empty())
        return tooFew();
    return tr("%1 learners by %2 and %3; %4 of them stand on the Pareto front.")
        .arg(m_learners)
        .arg(workAxisTitle(m_x), workAxisTitle(m_y))
        .arg(m_onFront);
}

ChartTable WorkPlot::table() const
{
    ChartTable table;
    table.kind = QStringLiteral("pareto");
    table.title = text().title;
    table.caption = text().caption;
    table.summary = summary();
    const auto key = [](WorkAxis axis) {
        return axis == WorkAxis::Points   ? QStringLiteral("points")
               : axis == WorkAxis::Factor ? QStringLiteral("factor")
                                          : QStringLiteral("interval");
    };
    table.columns = {{key(m_x), asStart(workAxisTitle(m_x)), {}},
                     {key(m_y), asStart(workAxisTitle(m_y)), {}},
                     {QStringLiteral("learners"), tr("Learners"), {}},
                     {QStringLiteral("front"), tr("Pareto front"), {}, false}};
    if (!empty())
        for (const Mark& mark : m_marks)
            table.rows.push_back({mark.at.x(), mark.at.y(), static_cast<double>(mark.learners),
                                  mark.front ? tr("on it") : QStringLiteral("–")});
    return table;
}

PlotAxis WorkPlot::axisOf(WorkAxis axis) const
{
    PlotAxis plotAxis;
    plotAxis.title = moreIsBetter(axis) ? tr("%1 (more is better)").arg(workAxisTitle(axis))
                                        : tr("%1 (less is better)").arg(workAxisTitle(axis));
    if (axis == WorkAxis::Points) {
        plotAxis.scale.min = 0;
        plotAxis.scale.max = 104;
        for (int tick = 0; tick <= 100; tick += 20)
            plotAxis.ticks.push_back({static_cast<double>(tick), QString::number(tick)});
        return plotAxis;
    }
    double high = 2;
    for (const Mark& mark : m_marks)
        high = std::max(high, axis == m_x ? mark.at.x() : mark.at.y());
    const double octaves = std::ceil(std::log2(high) - 1e-9);
    plotAxis.scale.log = true;
    plotAxis.scale.min = std::exp2(-0.08 * octaves);
    plotAxis.scale.max = std::exp2(octaves * 1.04);
    for (double octave = 0; octave <= octaves; octave += octaves > 6 ? 2 : 1)
        plotAxis.ticks.push_back({std::exp2(octave), QStringLiteral("%1×").arg(std::exp2(octave))});
    return plotAxis;
}

PlotAxes WorkPlot::axes() const
{
    PlotAxes axes;
    if (empty()) {
        axes.x.shown = axes.y.shown = axes.x.grid = axes.y.grid = false;
        return axes;
    }
    axes.x = axisOf(m_x);
    axes.y = axisOf(m_y);
    return axes;
}

namespace {

std::vector<KeyEntry> keyOf(const Theme& theme)
{
    return {{tr("on the Pareto front"), theme.series(0), 0, Provenance::Measured},
            {tr("the others"), theme.color(Role::Text3), 0, Provenance::Simulated}};
}

} // namespace

QMarginsF WorkPlot::margins(const Theme& theme, QSizeF available) const
{
    const QRectF room(0, 0, available.width(), 1e4);
    return {0, empty() ? 0.0 : paintKey(nullptr, theme, room, keyOf(theme)) + space::s, space::m, 0};
}

std::vector<PlotCurve> WorkPlot::curves(const PlotFrame& frame) const
{
    PlotCurve stairs;
    stairs.pen = QPen(frame.theme.color(Role::Text), 1.5, Qt::DashLine);
    if (empty())
        return {};
    // Steps between two marks of the front enclose what nobody reached.
    const Mark* before = nullptr;
    for (const Mark& mark : m_marks) {
        if (!mark.front)
            continue;
        if (before) {
            const bool keepY = !moreIsBetter(m_x); // to the right of a mark its own y can still be had
            stairs.points << (keepY ? QPointF(mark.at.x(), before->at.y()) : QPointF(before->at.x(), mark.at.y()));
        }
        stairs.points << mark.at;
        before = &mark;
    }
    return {stairs};
}

void WorkPlot::paint(QPainter& painter, const PlotFrame& frame, PlotCursor) const
{
    if (empty())
        return;
    const Theme& theme = frame.theme;
    QRectF key(frame.all.left() + space::m, 0, frame.all.width() - 2 * space::m, 1e4);
    key.moveTop(frame.plot.top() - paintKey(nullptr, theme, key, keyOf(theme)) - space::s);
    paintKey(&painter, theme, key, keyOf(theme));
    for (const bool front : {false, true})
        for (const Mark& mark : m_marks) {
            if (mark.front != front)
                continue;
            // As many learners, so much area; up to four times.
            const double size = theme.scaled(kMark) * std::sqrt(std::min(4.0, 1 + 0.5 * (mark.learners - 1)));
            paintDot(painter, frame.place(mark.at.x(), mark.at.y()), size + (front ? 2 : 0),
                     front ? theme.series(0) : theme.color(Role::Text3), front);
        }
}

std::vector<int> WorkPlot::groups() const
{
    return empty() ? std::vector<int>{} : std::vector<int>{static_cast<int>(m_marks.size())};
}

std::optional<QRectF> WorkPlot::outline(const PlotFrame& frame, PlotCursor at) const
{
    const Mark& mark = m_marks[static_cast<std::size_t>(at.point)];
    const QPointF place = frame.place(mark.at.x(), mark.at.y());
    return QRectF(place.x() - kMark / 2, place.y() - kMark / 2, kMark, kMark);
}

QString WorkPlot::pointText(PlotCursor at) const
{
    const Mark& mark = m_marks[static_cast<std::size_t>(at.point)];
    QString text = QStringLiteral("%1, %2").arg(valueText(m_x, mark.at.x()), valueText(m_y, mark.at.y()));
    if (mark.learners > 1)
        text += tr(", %1 learners").arg(mark.learners);
    return mark.front ? text + tr(", on the Pareto front") : text;
}

Json WorkPlot::describe() const
{
    return {{"marks", m_marks.size()}, {"front", m_onFront}};
}

} // namespace ridge::app
