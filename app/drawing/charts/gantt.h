// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot_paint.h"

namespace ridge::app {

struct GanttSpan {
    int lane = 0, kind = 0; ///< indices into lanes and kinds
    double start = 0, length = 0;
    QString name;
};

/// What ran when: streams, engines, ranks or warps over time.
struct GanttData {
    QString title, caption;
    ChartOrigin origin;
    QString timeTitle, unit;    ///< "time", "s"
    std::vector<QString> lanes; ///< from the top
    std::vector<QString> kinds; ///< "kernel", "copy" …: colour and key
    std::vector<GanttSpan> spans;
    Provenance provenance = Provenance::Measured;
    QString emptyText;
};

/// Lanes over time. However many spans there are, at most one rectangle a pixel column, lane and kind is painted;
/// names stand in spans that hold them. Time zooms and pans; lanes do so as well when there are more than a dozen.
class GanttPlot : public Plot {
public:
    explicit GanttPlot(GanttData data);
    const GanttData& data() const { return m_data; }

    PlotText text() const override;
    QString summary() const override;
    ChartTable table() const override;
    bool empty() const override;
    PlotAxes axes() const override;
    Json describe() const override;
    QMarginsF margins(const Theme& theme, QSizeF available) const override;
    void paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const override;
    std::vector<int> groups() const override;
    std::optional<QRectF> outline(const PlotFrame& frame, PlotCursor at) const override;
    QString pointText(PlotCursor at) const override;
    PlotCursor hit(const PlotFrame& frame, QPointF at) const override;
    bool roundOutline() const override { return false; }

private:
    struct Lane {
        std::vector<GanttSpan> spans; ///< by start
        std::vector<double> reach;    ///< latest end of this and all earlier spans: where a search may begin
        double busy = 0;              ///< time covered by at least one span
    };
    std::pair<std::size_t, std::size_t> visible(const Lane& lane, double from, double to) const;
    QRectF laneRect(const PlotFrame& frame, int lane) const;
    QRectF rectOf(const PlotFrame& frame, const GanttSpan& span) const;
    std::vector<KeyEntry> key(const Theme& theme) const;
    int paintLane(QPainter& painter, const PlotFrame& frame, int lane) const;

    GanttData m_data;
    std::vector<Lane> m_lanes;
    double m_from = 0, m_to = 0;
    mutable int m_painted = 0; ///< rectangles of the last picture
};

} // namespace ridge::app
