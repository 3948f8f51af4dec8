// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/series_marker.h"

#include "app/drawing/charts/prediction_mark.h"
#include "app/theme/color_science.h"

#include <QPainter>
#include <QPainterPath>
#include <cmath>
#include <numbers>

namespace ridge::app {
namespace {

constexpr double kLineWidth = 2;

QPolygonF regular(QPointF centre, double radius, int corners, double firstAngle)
{
    QPolygonF polygon;
    for (int i = 0; i < corners; ++i) {
        const double angle = firstAngle + 2 * std::numbers::pi * i / corners;
        polygon.append(centre + QPointF(radius * std::cos(angle), radius * std::sin(angle)));
    }
    return polygon;
}

QPolygonF star(QPointF centre, double radius)
{
    QPolygonF polygon;
    for (int i = 0; i < 10; ++i) {
        const double r = i % 2 == 0 ? radius : radius * 0.45;
        const double angle = -std::numbers::pi / 2 + std::numbers::pi * i / 5;
        polygon.append(centre + QPointF(r * std::cos(angle), r * std::sin(angle)));
    }
    return polygon;
}

QPainterPath cross(QPointF centre, double radius, bool diagonal)
{
    const double reach = diagonal ? radius * 0.75 : radius;
    const QPointF a = diagonal ? QPointF(reach, reach) : QPointF(reach, 0);
    const QPointF b = diagonal ? QPointF(reach, -reach) : QPointF(0, reach);
    QPainterPath path;
    path.moveTo(centre - a);
    path.lineTo(centre + a);
    path.moveTo(centre - b);
    path.lineTo(centre + b);
    return path;
}

QPainterPath shape(QPointF centre, double radius, int index)
{
    constexpr double up = -std::numbers::pi / 2;
    QPainterPath path;
    switch (index % 8) {
    case 0:
        path.addEllipse(centre, radius, radius);
        break;
    case 1:
        path.addRect(QRectF(centre - QPointF(radius, radius) * 0.85, centre + QPointF(radius, radius) * 0.85));
        break;
    case 2:
        path.addPolygon(regular(centre, radius * 1.15, 3, up));
        break;
    case 3:
        path.addPolygon(regular(centre, radius, 6, 0));
        break;
    case 4:
        path.addPolygon(regular(centre, radius * 1.15, 3, -up));
        break;
    case 5:
        return cross(centre, radius, false);
    case 6:
        return cross(centre, radius, true);
    default:
        path.addPolygon(star(centre, radius * 1.15));
        break;
    }
    path.closeSubpath();
    return path;
}

} // namespace

QPen seriesPen(const Theme& theme, int index, Provenance provenance)
{
    // Dash lengths in pixels; Qt counts them in pen widths.
    static const QList<QList<qreal>> kDashes = {{},      {6, 3},       {2, 2}, {8, 3, 2, 3},
                                                {12, 3}, {4, 2, 1, 2}, {1, 2}, {10, 2, 2, 2, 2, 2}};
    QPen pen(theme.series(index), kLineWidth, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    QList<qreal> dashes = provenance == Provenance::Modelled ? QList<qreal>{2, 4} : kDashes[index % 8];
    for (qreal& length : dashes)
        length /= kLineWidth;
    if (!dashes.isEmpty())
        pen.setDashPattern(dashes);
    return pen;
}

void paintSeriesMarker(QPainter& painter, QPointF centre, double size, const QColor& color, int index,
                       Provenance provenance)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QPen pen(color, kLineWidth);
    pen.setJoinStyle(Qt::MiterJoin);
    if (provenance == Provenance::Modelled) {
        pen.setCapStyle(Qt::FlatCap); // square ends would close the gaps
        pen.setDashPattern({1, 1});
    }
    painter.setPen(pen);
    const bool filled = provenance == Provenance::Measured || provenance == Provenance::Recorded;
    painter.setBrush(filled ? color : painter.background().color());
    painter.drawPath(shape(centre, (size - kLineWidth) / 2, index));
    painter.restore();
}

void paintResult(QPainter& painter, QPointF centre, double size, const QColor& color, Provenance provenance)
{
    paintSeriesMarker(painter, centre, size, color, 0, provenance);
}

void paintProvenanceRect(QPainter& painter, const QRectF& rect, const QColor& color, Provenance provenance)
{
    if (provenance == Provenance::Measured || provenance == Provenance::Recorded)
        return painter.fillRect(rect, color);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor tint = blend(painter.background().color(), color, 0.16);
    QPen pen(color, kLineWidth, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin);
    if (provenance == Provenance::Modelled)
        pen.setDashPattern({1, 1});
    painter.setPen(pen);
    painter.setBrush(tint);
    if (rect.width() > kLineWidth && rect.height() > kLineWidth)
        painter.drawRect(rect.adjusted(1, 1, -1, -1));
    else
        painter.fillRect(rect, color);
    painter.restore();
}

} // namespace ridge::app
