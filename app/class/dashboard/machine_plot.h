// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot.h"
#include "base/provenance.h"
#include "classroom/class_report.h"

namespace ridge::app {

/// What one kind of machine found at one point, over what the class found there.
struct MachineMark {
    int point = 0; ///< index in MachineData::points
    double ratio = 1, low = 1, high = 1;
    double value = 0; ///< the machine's own median, in the point's unit
    QString unit;
    Provenance provenance = Provenance::Simulated;
    int learners = 0;
};
struct MachineRow {
    QString name;
    int learners = 0; ///< who used it at all
    std::vector<MachineMark> marks;
};
struct MachineData {
    QString title, caption, emptyText;
    QStringList points; ///< "2.4 sectors per request", in the order of the lessons
    std::vector<MachineRow> rows;
    int agreeing = 0; ///< points at which all machines found the same
    int leftOut = 0;  ///< results without a ratio: zero or below
};

/// All machines and all points of a report, or those of one lesson where it is not empty. Everybody's results are set
/// against the class's median at the same point, so that times, rates and counts stand on one axis.
MachineData machineData(const classroom::ClassReport& report, const std::string& lesson);

/// A row a machine, a mark a point, on one axis of ratios.
class MachinePlot : public Plot {
public:
    explicit MachinePlot(MachineData data) : m_data(std::move(data)) {}
    const MachineData& data() const { return m_data; }

    PlotText text() const override;
    QString summary() const override;
    ChartTable table() const override;
    bool empty() const override;
    PlotAxes axes() const override;
    Json describe() const override;
    QMarginsF margins(const Theme& theme, QSizeF available) const override;
    double heightFor(const Theme& theme, double width) const override;
    void layout(const PlotFrame& frame) override;
    void paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const override;
    std::vector<int> groups() const override;
    std::optional<QRectF> outline(const PlotFrame& frame, PlotCursor at) const override;
    QString pointText(PlotCursor at) const override;

private:
    bool shapes() const { return m_data.points.size() <= 8; } ///< each point has a shape and colour of its own
    double keyHeight(const Theme& theme, double width) const;
    std::size_t mostMarks() const; ///< of a row

    MachineData m_data;
    std::vector<std::vector<QPointF>> m_places; ///< of the marks, moved apart where they would lie on each other
};

} // namespace ridge::app
