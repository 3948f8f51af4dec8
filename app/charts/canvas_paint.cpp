// SPDX-License-Identifier: GPL-3.0-or-later
// What the picture looks like.
#include "app/charts/chart_canvas.h"
#include "app/charts/chart_text.h"
#include "app/charts/prediction_mark.h"
#include "app/charts/series_marker.h"

namespace ridge::app {
namespace {

constexpr double kMarkSize = 9;
constexpr double kDiamondSize = 14;
constexpr double kMarkSpacing = 7; ///< nearer points than this are a curve, not marks

double snapped(double v)
{
    return std::floor(v) + 0.5;
}

} // namespace

void ChartCanvas::drawBackground(QPainter* painter, const QRectF&)
{
    painter->save();
    painter->fillRect(viewport()->rect(), m_theme.color(Role::Surface));
    painter->setRenderHint(QPainter::Antialiasing, false);
    const QRectF& plot = m_frame.plot;
    painter->setPen(QPen(m_theme.color(Role::Grid), 1));
    for (const Tick& tick : m_frame.yTicks) {
        const double y = snapped(place(m_x.min, tick.value).y());
        painter->drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    }
    for (const Tick& tick : m_frame.xTicks) {
        const double x = snapped(place(tick.value, m_y.max).x());
        painter->drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    }
    painter->setPen(QPen(m_theme.color(Role::BorderStrong), 1));
    painter->drawLine(QPointF(plot.left(), snapped(plot.bottom())), QPointF(plot.right(), snapped(plot.bottom())));
    painter->restore();
    if (m_selectedX && m_x.accepts(*m_selectedX) && hasPoints()) {
        const double x = place(*m_selectedX, m_y.max).x();
        painter->fillRect(QRectF(x - 8, plot.top(), 16, plot.height()), m_theme.color(Role::Selection));
    }
}

void ChartCanvas::drawForeground(QPainter* painter, const QRectF&)
{
    painter->setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter->setBackground(m_theme.color(Role::Surface));
    paintTexts(*painter);
    paintAxes(*painter);
    if (!hasPoints() && m_data.predictions.empty())
        return;
    paintLimit(*painter);
    paintMarkers(*painter);
    paintPredictions(*painter);
    paintEnds(*painter);
    paintCursor(*painter);
}

void ChartCanvas::paintTexts(QPainter& painter) const
{
    painter.setPen(m_theme.color(Role::Text));
    painter.setFont(m_theme.font(TextStyle::ChartTitle));
    painter.drawText(m_frame.title, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, m_data.title);
    painter.setFont(m_theme.font(TextStyle::ChartLabel));
    painter.setPen(m_theme.color(Role::Text2));
    painter.drawText(m_frame.yTitle, Qt::AlignLeft | Qt::AlignVCenter, titled(m_data.yTitle, m_data.yUnit));
    painter.drawText(m_frame.xTitle, Qt::AlignHCenter | Qt::AlignVCenter, titled(m_data.xTitle, m_data.xUnit));
    painter.setFont(m_theme.font(TextStyle::Caption));
    painter.setPen(m_theme.color(Role::Text3));
    painter.drawText(m_frame.caption, Qt::AlignLeft | Qt::TextWordWrap, m_data.caption);
    if (hasPoints())
        return;
    painter.setFont(m_theme.font(TextStyle::Body));
    painter.setPen(m_theme.color(Role::Text2));
    QRectF where = m_frame.plot.adjusted(space::l, space::l, -space::l, -space::l);
    if (!m_data.predictions.empty()) {
        // Beside the mark, on the side that has more room.
        const double x = place(m_data.predictions.front().x, m_y.max).x();
        if (x < where.center().x())
            where.setLeft(x + space::xxl);
        else
            where.setRight(x - space::xxl);
        where.setBottom(where.top() + m_theme.lineHeight(TextStyle::Body) * 3);
    }
    paintOnGround(painter, where, Qt::AlignCenter | Qt::TextWordWrap, chartEmptyText(m_data));
}

void ChartCanvas::paintAxes(QPainter& painter) const
{
    painter.setFont(m_theme.font(TextStyle::ChartTick));
    painter.setPen(m_theme.color(Role::Text2));
    const QRectF& plot = m_frame.plot;
    const double height = m_theme.lineHeight(TextStyle::ChartTick);
    for (const Tick& tick : m_frame.yTicks) {
        const double y = place(m_x.min, tick.value).y();
        painter.drawText(QRectF(plot.left() - space::s - 120, y - height / 2, 120, height),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    for (const Tick& tick : m_frame.xTicks) {
        const double x = place(tick.value, m_y.max).x();
        painter.drawText(QRectF(x - 60, plot.bottom() + space::xs, 120, height), Qt::AlignHCenter | Qt::AlignVCenter,
                         tick.label);
    }
}

QPolygonF ChartCanvas::limitLine() const
{
    QPolygonF line;
    for (const ChartSeries& series : m_data.series) {
        for (const ChartSeries::Point& p : series.points)
            if (p.limit && m_x.accepts(p.x) && m_y.accepts(*p.limit))
                line.append(place(p.x, *p.limit));
        if (!line.isEmpty())
            break;
    }
    // A constant bound holds over the whole axis.
    if (!line.isEmpty() &&
        std::all_of(line.begin(), line.end(), [&](QPointF p) { return std::abs(p.y() - line[0].y()) < 0.5; }))
        return {QPointF(m_frame.plot.left(), line[0].y()), QPointF(m_frame.plot.right(), line[0].y())};
    return line;
}

/// The place along the line, above or below it, where the label hides least.
QRectF ChartCanvas::limitLabelRect(const QPolygonF& line, QSizeF text) const
{
    const QRectF plot = m_frame.plot;
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
                    const QPointF here = place(series.points[i].x, series.points[i].y);
                    cost += rect.adjusted(-6, -6, 6, 6).contains(here) ? 10 : 0;
                    for (int part = 1; i > 0 && part < 8; ++part) {
                        const QPointF last = place(series.points[i - 1].x, series.points[i - 1].y);
                        cost += rect.contains(last + (here - last) * (part / 8.0)) ? 8 : 0;
                    }
                }
            for (const ChartPrediction& p : m_data.predictions)
                cost += rect.adjusted(-8, -8, 8, 8)
                                .intersects(QRectF(place(p.x, p.high), place(p.x, p.low)).adjusted(-1, 0, 1, 0))
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

void ChartCanvas::paintLimit(QPainter& painter) const
{
    const QPolygonF line = limitLine();
    if (line.isEmpty() || m_data.limitTitle.isEmpty())
        return;
    painter.setPen(QPen(m_theme.color(Role::Text2), 1.5, Qt::DashLine, Qt::FlatCap));
    painter.drawPolyline(line);
    painter.setFont(m_theme.font(TextStyle::Caption));
    painter.setPen(m_theme.color(Role::Text2));
    const QFontMetricsF metrics(painter.font());
    const QString text = metrics.elidedText(limitText(m_data), Qt::ElideRight, m_frame.plot.width() - 2 * space::s);
    const QSizeF size(std::ceil(metrics.horizontalAdvance(text)) + 2, m_theme.lineHeight(TextStyle::Caption));
    paintOnGround(painter, limitLabelRect(line, size), Qt::AlignLeft | Qt::AlignVCenter, text);
}

void ChartCanvas::paintMarkers(QPainter& painter) const
{
    for (std::size_t s = 0; s < m_data.series.size(); ++s) {
        const ChartSeries& series = m_data.series[s];
        if (series.points.size() * kMarkSpacing > std::max(1.0, m_frame.plot.width()))
            continue;
        for (const ChartSeries::Point& point : series.points)
            if (m_x.accepts(point.x) && m_y.accepts(point.y))
                paintSeriesMarker(painter, place(point.x, point.y), kMarkSize, m_theme.series(static_cast<int>(s)),
                                  static_cast<int>(s), series.provenance);
    }
}

void ChartCanvas::paintPredictions(QPainter& painter) const
{
    const QColor color = m_theme.color(Role::Text);
    for (const ChartPrediction& p : m_data.predictions) {
        if (!m_x.accepts(p.x) || !m_y.accepts(p.point))
            continue;
        const QPointF centre = place(p.x, p.point);
        const double top = place(p.x, p.high).y();
        const double bottom = m_y.accepts(p.low) ? place(p.x, p.low).y() : m_frame.plot.bottom();
        QColor band = color;
        band.setAlphaF(0.14F);
        painter.fillRect(QRectF(centre.x() - 4, top, 8, bottom - top), band);
        painter.setPen(QPen(color, 1.5));
        for (const double y : {top, bottom})
            painter.drawLine(QPointF(centre.x() - 6, y), QPointF(centre.x() + 6, y));
        if (p.result && m_y.accepts(*p.result)) {
            const QPointF dot = place(p.x, *p.result);
            painter.setPen(QPen(color, 2));
            painter.drawLine(centre, dot);
            paintDot(painter, dot, kMarkSize + 1, color, true);
        }
        paintDiamond(painter, centre, kDiamondSize, color);
        painter.setFont(m_theme.font(TextStyle::Caption));
        painter.setPen(m_theme.color(Role::Text));
        const QString text = tr("predicted %1").arg(quantity(p.point, {}));
        const double width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 4;
        const double height = m_theme.lineHeight(TextStyle::Caption);
        const bool flip = centre.x() + kDiamondSize + width > m_frame.plot.right();
        const double left = flip ? centre.x() - kDiamondSize - width : centre.x() + kDiamondSize;
        paintOnGround(painter, QRectF(left, centre.y() - height / 2, width, height), Qt::AlignCenter, text);
    }
}

void ChartCanvas::paintEnds(QPainter& painter) const
{
    for (const EndLabel& end : m_frame.ends) {
        const ChartSeries& series = m_data.series[static_cast<std::size_t>(end.series)];
        if (std::abs(end.rect.center().y() - end.anchor.y()) > 4) {
            painter.setPen(QPen(m_theme.color(Role::Border), 1));
            painter.drawLine(end.anchor + QPointF(7, 0), QPointF(end.rect.left() - 3, end.rect.center().y()));
        }
        const double line = m_theme.lineHeight(TextStyle::ChartLabel);
        painter.setFont(m_theme.font(TextStyle::ChartLabel));
        painter.setPen(m_theme.color(Role::Text));
        const QFontMetricsF metrics(painter.font());
        painter.drawText(QRectF(end.rect.topLeft(), QSizeF(end.rect.width(), line)), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(series.name, Qt::ElideRight, end.rect.width()));
        painter.setFont(m_theme.font(TextStyle::Caption));
        painter.setPen(m_theme.color(Role::Text3));
        const std::string_view origin = toText(series.provenance);
        painter.drawText(QRectF(end.rect.left(), end.rect.top() + line, end.rect.width(), end.rect.height() - line),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         QString::fromLatin1(origin.data(), static_cast<qsizetype>(origin.size())));
    }
}

void ChartCanvas::paintCursor(QPainter& painter) const
{
    const Cursor shown = m_hover.valid() ? m_hover : (hasFocus() ? m_cursor : Cursor{});
    if (!shown.valid())
        return;
    const ChartSeries::Point& point =
        m_data.series[static_cast<std::size_t>(shown.series)].points[static_cast<std::size_t>(shown.point)];
    if (!m_x.accepts(point.x) || !m_y.accepts(point.y))
        return;
    const QPointF at = place(point.x, point.y);
    painter.setPen(QPen(m_theme.color(Role::Link), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(at, kMarkSize, kMarkSize);
    paintTag(painter, at, pointText(m_data, shown.series, shown.point));
}

void ChartCanvas::paintTag(QPainter& painter, QPointF anchor, const QString& text) const
{
    painter.setFont(m_theme.font(TextStyle::Caption));
    const QSizeF size(QFontMetricsF(painter.font()).horizontalAdvance(text) + 2 * space::s,
                      m_theme.lineHeight(TextStyle::Caption) + space::s);
    QRectF rect(anchor + QPointF(space::m, -size.height() - space::m), size);
    const QRectF view(QPointF(0, 0), QSizeF(viewport()->size()));
    if (rect.right() > view.right())
        rect.moveRight(std::max(anchor.x() - space::m, size.width()));
    if (rect.top() < m_frame.plot.top() - space::l)
        rect.moveTop(anchor.y() + space::m);
    painter.setPen(QPen(m_theme.color(Role::BorderStrong), 1));
    painter.setBrush(m_theme.color(Role::Surface));
    painter.drawRoundedRect(rect, kControlRadius, kControlRadius);
    painter.setPen(m_theme.color(Role::Text));
    painter.drawText(rect, Qt::AlignCenter, text);
}

/// Text with a ground of its own, so that grid and curves stop at its edge.
void ChartCanvas::paintOnGround(QPainter& painter, QRectF rect, int flags, const QString& text) const
{
    const QRectF used = QFontMetricsF(painter.font()).boundingRect(rect, flags, text);
    painter.fillRect(used.adjusted(-3, -1, 3, 1), m_theme.color(Role::Surface));
    painter.drawText(rect, flags, text);
}

} // namespace ridge::app
