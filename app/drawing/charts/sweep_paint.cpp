// SPDX-License-Identifier: GPL-3.0-or-later
// What a sweep looks like over its curves.
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_paint.h"
#include "app/drawing/charts/prediction_mark.h"
#include "app/drawing/charts/series_marker.h"
#include "app/drawing/charts/sweep_plot.h"

namespace ridge::app {
namespace {

constexpr double kMarkSize = 9;
constexpr double kDiamondSize = 14;
constexpr double kLimitOfName = 18; ///< of a bound, to either side of the name that it holds for
constexpr double kMarkSpacing = 7;  ///< nearer points than this are a curve, not marks

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
    paintLimit(painter, frame);
    paintMarkers(painter, frame);
    paintPredictions(painter, frame);
    paintEnds(painter, frame);
}

QPolygonF SweepPlot::limitLine(const PlotFrame& frame) const
{
    QPolygonF line;
    for (const ChartSeries& series : m_data.series) {
        for (const ChartSeries::Point& p : series.points)
            if (p.limit && frame.x.accepts(p.x) && frame.y.accepts(*p.limit))
                line.append(frame.place(p.x, *p.limit));
        if (!line.isEmpty() && m_data.xNames.isEmpty())
            break; // along names each has its own, whoever stands there
    }
    // A constant bound holds over the whole axis.
    if (!line.isEmpty() &&
        std::all_of(line.begin(), line.end(), [&](QPointF p) { return std::abs(p.y() - line[0].y()) < 0.5; }))
        return {QPointF(frame.plot.left(), line[0].y()), QPointF(frame.plot.right(), line[0].y())};
    return line;
}

/// The place along the line, above or below it, where the label hides least.
QRectF SweepPlot::limitLabelRect(const PlotFrame& frame, const QPolygonF& line, QSizeF text) const
{
    const QRectF plot = frame.plot;
    QRectF best;
    double bestCost = 1e9;
    for (int step = 0; step <= 16; ++step) {
        const double left = plot.left() + space::s + (plot.width() - text.width() - 2 * space::s) * step / 16.0;
        double y = line.first().y();
        for (qsizetype i = 1; i < line.size(); ++i)
            if (left >= line[i - 1].x())
                y = line[i - 1].y() +
                    (line[i].y() - line[i - 1].y()) *
                        std::clamp((left - line[i - 1].x()) / std::max(1.0, line[i].x() - line[i - 1].x()), 0.0, 1.0);
        for (const double top : {y - text.height() - 3, y + 3}) {
            const QRectF rect(QPointF(left, top), text);
            double cost = rect.top() < plot.top() || rect.bottom() > plot.bottom() ? 50 : step * 0.1;
            for (const ChartSeries& series : m_data.series)
                for (std::size_t i = 0; i < series.points.size() && series.points.size() < 500; ++i) {
                    const QPointF here = frame.place(series.points[i].x, series.points[i].y);
                    cost += rect.adjusted(-6, -6, 6, 6).contains(here) ? 10 : 0;
                    for (int part = 1; i > 0 && part < 8; ++part) {
                        const QPointF last = frame.place(series.points[i - 1].x, series.points[i - 1].y);
                        cost += rect.contains(last + (here - last) * (part / 8.0)) ? 8 : 0;
                    }
                }
            for (const ChartPrediction& p : m_data.predictions)
                cost +=
                    rect.adjusted(-8, -8, 8, 8)
                            .intersects(QRectF(frame.place(p.x, p.high), frame.place(p.x, p.low)).adjusted(-1, 0, 1, 0))
                        ? 10
                        : 0;
            if (cost < bestCost) {
                bestCost = cost;
                best = rect;
            }
        }
    }
    return best;
}

void SweepPlot::paintLimit(QPainter& painter, const PlotFrame& frame) const
{
    const Theme& theme = frame.theme;
    const QPolygonF line = limitLine(frame);
    if (line.isEmpty() || m_data.limitTitle.isEmpty())
        return;
    painter.save();
    if (frame.zoomed)
        painter.setClipRect(frame.plot);
    painter.setPen(QPen(theme.color(Role::Text2), 1.5, Qt::DashLine, Qt::FlatCap));
    const bool constant = line.size() == 2 && line[0].x() == frame.plot.left() && line[1].x() == frame.plot.right();
    if (m_data.xNames.isEmpty() || constant)
        painter.drawPolyline(line);
    else // nothing lies between two names
        for (const QPointF& at : line)
            painter.drawLine(at - QPointF(kLimitOfName, 0), at + QPointF(kLimitOfName, 0));
    painter.setFont(theme.font(TextStyle::Caption));
    painter.setPen(theme.color(Role::Text2));
    const QFontMetricsF metrics(painter.font());
    const QString text = metrics.elidedText(limitText(m_data), Qt::ElideRight, frame.plot.width() - 2 * space::s);
    const QSizeF size(std::ceil(metrics.horizontalAdvance(text)) + 2, theme.lineHeight(TextStyle::Caption));
    paintOnGround(painter, limitLabelRect(frame, line, size), Qt::AlignLeft | Qt::AlignVCenter, text);
    painter.restore();
}

void SweepPlot::paintMarkers(QPainter& painter, const PlotFrame& frame) const
{
    for (std::size_t s = 0; s < m_data.series.size(); ++s) {
        const ChartSeries& series = m_data.series[s];
        if (series.points.size() * kMarkSpacing > std::max(1.0, frame.plot.width()))
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
    const Theme& theme = frame.theme;
    const QColor color = theme.color(Role::Text);
    for (const ChartPrediction& p : m_data.predictions) {
        if (!frame.x.accepts(p.x) || !frame.y.accepts(p.point))
            continue;
        const QPointF centre = frame.place(p.x, p.point);
        if (!visible(frame, QPointF(centre.x(), frame.plot.center().y())))
            continue;
        const double top = frame.placeY(p.high);
        const double bottom = frame.y.accepts(p.low) ? frame.placeY(p.low) : frame.plot.bottom();
        QColor band = color;
        band.setAlphaF(0.14F);
        painter.fillRect(QRectF(centre.x() - 4, top, 8, bottom - top), band);
        painter.setPen(QPen(color, 1.5));
        for (const double y : {top, bottom})
            painter.drawLine(QPointF(centre.x() - 6, y), QPointF(centre.x() + 6, y));
        if (p.result && frame.y.accepts(*p.result)) {
            const QPointF dot = frame.place(p.x, *p.result);
            painter.setPen(QPen(color, 2));
            painter.drawLine(centre, dot);
            paintResult(painter, dot, kMarkSize + 1, color, p.provenance);
        }
        paintDiamond(painter, centre, kDiamondSize, color);
        painter.setFont(theme.font(TextStyle::Caption));
        painter.setPen(theme.color(Role::Text));
        const QString text = SweepChart::tr("predicted %1").arg(quantity(p.point, {}));
        const double width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 4;
        const double height = theme.lineHeight(TextStyle::Caption);
        const bool flip = centre.x() + kDiamondSize + width > frame.plot.right();
        const double left = flip ? centre.x() - kDiamondSize - width : centre.x() + kDiamondSize;
        paintOnGround(painter, QRectF(left, centre.y() - height / 2, width, height), Qt::AlignCenter, text);
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
        const double line = theme.lineHeight(TextStyle::ChartLabel);
        paintText(painter, theme, TextStyle::ChartLabel, Role::Text,
                  QRectF(end.rect.topLeft(), QSizeF(end.rect.width(), line)), Qt::AlignLeft | Qt::AlignVCenter,
                  series.name);
        paintText(painter, theme, TextStyle::Caption, Role::Text3,
                  QRectF(end.rect.left(), end.rect.top() + line, end.rect.width(), end.rect.height() - line),
                  Qt::AlignLeft | Qt::AlignVCenter, provenanceText(series.provenance));
    }
    if (m_unnamed > 0)
        paintText(painter, theme, TextStyle::Caption, Role::Text2, m_unnamedRect, Qt::AlignLeft | Qt::AlignVCenter,
                  SweepChart::tr("%1 more in the table").arg(m_unnamed));
}

} // namespace ridge::app
