// SPDX-License-Identifier: GPL-3.0-or-later
// What a sweep looks like over its curves.
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_paint.h"
#include "app/drawing/charts/prediction_mark.h"
#include "app/drawing/charts/series_marker.h"
#include "app/drawing/charts/sweep_labels.h"

namespace ridge::app {
namespace {

constexpr double kLimitOfName = 18; ///< of a bound, to either side of the name that it holds for
/// Marks at the very edge stay whole; those of a zoomed view that lie outside are not painted beside it.
bool visible(const PlotFrame& frame, QPointF at)
{
    return !frame.zoomed || frame.plot.adjusted(-1, -1, 1, 1).contains(at);
}

} // namespace

void SweepPlot::paintUnder(QPainter& painter, const PlotFrame& frame) const
{
    if (!m_selectedX || !frame.x.accepts(*m_selectedX) || empty())
        return;
    const QRectF mark(frame.placeX(*m_selectedX) - 8, frame.plot.top(), 16, frame.plot.height());
    painter.fillRect(frame.zoomed ? mark.intersected(frame.plot) : mark, frame.theme.color(Role::Selection));
}

void SweepPlot::paint(QPainter& painter, const PlotFrame& frame, PlotCursor) const
{
    if (empty() && m_data.predictions.empty())
        return;
    paintLimits(painter, frame);
    paintMarkers(painter, frame);
    paintPredictions(painter, frame);
    paintLabels(painter, frame);
    paintEnds(painter, frame);
}

void SweepPlot::paintLimits(QPainter& painter, const PlotFrame& frame) const
{
    if (m_data.limitTitle.isEmpty())
        return;
    painter.save();
    if (frame.zoomed)
        painter.setClipRect(frame.plot);
    for (const LimitLine& limit : m_limits) {
        painter.setPen(QPen(colorOf(frame, limit.series, Role::Text2), 1.5, Qt::DashLine, Qt::FlatCap));
        if (m_data.xNames.isEmpty() || limit.constant)
            painter.drawPolyline(limit.line);
        else // nothing lies between two names
            for (const QPointF& at : limit.line)
                painter.drawLine(at - QPointF(kLimitOfName, 0), at + QPointF(kLimitOfName, 0));
    }
    painter.restore();
}

void SweepPlot::paintLabels(QPainter& painter, const PlotFrame& frame) const
{
    painter.setFont(frame.theme.font(TextStyle::Caption));
    for (const Label& label : m_labels) {
        painter.setPen(frame.theme.color(Role::Text));
        paintOnGround(painter, label.rect, Qt::AlignCenter, label.text);
    }
}

void SweepPlot::paintMarkers(QPainter& painter, const PlotFrame& frame) const
{
    for (std::size_t s = 0; s < m_data.series.size(); ++s) {
        const ChartSeries& series = m_data.series[s];
        if (!hasMarks(series, frame))
            continue;
        for (const ChartSeries::Point& point : series.points)
            if (frame.x.accepts(point.x) && frame.y.accepts(point.y))
                if (const QPointF at = frame.place(point.x, point.y); visible(frame, at))
                    paintSeriesMarker(painter, at, kMarkSize, frame.theme.series(static_cast<int>(s)),
                                      static_cast<int>(s), series.provenance);
    }
}

void SweepPlot::paintPredictions(QPainter& painter, const PlotFrame& frame) const
{
    for (const ChartPrediction& p : m_data.predictions) {
        if (!frame.x.accepts(p.x) || !frame.y.accepts(p.point))
            continue;
        const QPointF centre = placeOf(frame, p);
        if (!visible(frame, QPointF(centre.x(), frame.plot.center().y())))
            continue;
        const QColor color = colorOf(frame, p.series, Role::Text);
        const bool above = isAbove(frame, p);
        const double top = std::max(frame.placeY(p.high), frame.zoomed ? -1e9 : frame.plot.top());
        const double bottom = frame.y.accepts(p.low) ? std::max(frame.placeY(p.low), top) : frame.plot.bottom();
        QColor band = color;
        band.setAlphaF(0.14F);
        painter.fillRect(QRectF(centre.x() - 4, top, 8, bottom - top), band);
        painter.setPen(QPen(color, 1.5));
        for (const double y : {top, bottom})
            if (!above || y > frame.plot.top() + 0.5)
                painter.drawLine(QPointF(centre.x() - 6, y), QPointF(centre.x() + 6, y));
        if (p.result && frame.y.accepts(*p.result)) {
            const QPointF dot = frame.place(p.x, *p.result);
            painter.setPen(QPen(color, 2));
            painter.drawLine(centre, dot);
            paintResult(painter, dot, kMarkSize + 1, color, p.provenance);
        }
        if (above) { // an arrow: where it belongs is farther up
            painter.setPen(QPen(color, 2));
            const QPointF tip(centre.x(), frame.plot.top() + 1);
            painter.drawLine(tip, tip + QPointF(-5, 5));
            painter.drawLine(tip, tip + QPointF(5, 5));
        }
        paintDiamond(painter, centre, kDiamondSize, color);
    }
}

void SweepPlot::paintEnds(QPainter& painter, const PlotFrame& frame) const
{
    const Theme& theme = frame.theme;
    for (const EndLabel& end : m_ends) {
        const ChartSeries& series = m_data.series[static_cast<std::size_t>(end.series)];
        if (std::abs(end.rect.center().y() - end.anchor.y()) > 4 && !frame.zoomed) {
            painter.setPen(QPen(theme.color(Role::Border), 1));
            painter.drawLine(end.anchor + QPointF(7, 0), QPointF(end.rect.left() - 3, end.rect.center().y()));
        }
        const QString& name = m_names[static_cast<std::size_t>(end.series)];
        const double line = m_nameLines * theme.lineHeight(TextStyle::ChartLabel);
        const QRectF room(end.rect.topLeft(), QSizeF(end.rect.width(), line));
        if (m_nameLines == 1) {
            paintText(painter, theme, TextStyle::ChartLabel, Role::Text, room, Qt::AlignLeft | Qt::AlignVCenter, name);
        } else {
            painter.setFont(theme.font(TextStyle::ChartLabel));
            painter.setPen(theme.color(Role::Text));
            painter.drawText(room, Qt::AlignLeft | Qt::AlignBottom | Qt::TextWordWrap, name);
        }
        paintText(painter, theme, TextStyle::Caption, Role::Text3,
                  QRectF(end.rect.left(), end.rect.top() + line, end.rect.width(), end.rect.height() - line),
                  Qt::AlignLeft | Qt::AlignVCenter, provenanceText(series.provenance));
    }
    if (m_unnamed > 0)
        paintText(painter, theme, TextStyle::Caption, Role::Text2, m_unnamedRect, Qt::AlignLeft | Qt::AlignVCenter,
                  SweepChart::tr("%1 more in the table").arg(m_unnamed));
}

} // namespace ridge::app
