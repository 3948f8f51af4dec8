// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/dashboard/bins_plot.h"
#include "app/drawing/charts/plot.h"
#include "classroom/class_report.h"

namespace ridge::app {

/// The three axes on which the work of a class lies (CL11): what was reached, how near predictions were, and how much
/// they dared to say. The last two pull against each other: a narrow interval is right less often.
enum class WorkAxis { Points, Factor, Interval };
inline constexpr WorkAxis kWorkAxes[] = {WorkAxis::Points, WorkAxis::Factor, WorkAxis::Interval};

QString workAxisTitle(WorkAxis axis);
bool moreIsBetter(WorkAxis axis);
std::optional<double> valueOn(const classroom::WorkPoint& work, WorkAxis axis);

/// A distribution on one axis, in bins of its own: tens of points, or factors from 1 that grow by the root of two.
BinsData workBins(const classroom::ClassReport& report, WorkAxis axis);

/// The work of a class on two of the axes, with its Pareto front. Nobody's name, nobody's rank.
class WorkPlot : public Plot {
public:
    WorkPlot(const std::vector<classroom::WorkPoint>& work, WorkAxis x, WorkAxis y);

    struct Mark {
        QPointF at;
        int learners = 1; ///< with the same figures
        bool front = false;
    };
    const std::vector<Mark>& marks() const { return m_marks; } ///< from the left

    PlotText text() const override;
    QString summary() const override;
    ChartTable table() const override;
    bool empty() const override;
    PlotAxes axes() const override;
    Json describe() const override;
    QMarginsF margins(const Theme& theme, QSizeF available) const override;
    std::vector<PlotCurve> curves(const PlotFrame& frame) const override;
    void paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const override;
    std::vector<int> groups() const override;
    std::optional<QRectF> outline(const PlotFrame& frame, PlotCursor at) const override;
    QString pointText(PlotCursor at) const override;

private:
    PlotAxis axisOf(WorkAxis axis) const;

    WorkAxis m_x, m_y;
    std::vector<Mark> m_marks;
    int m_learners = 0, m_onFront = 0;
};

} // namespace ridge::app
