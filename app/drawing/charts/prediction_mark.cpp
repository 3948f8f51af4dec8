// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/prediction_mark.h"

#include <QPainter>

namespace ridge::app {
namespace {

constexpr double kStroke = 2;

QColor groundOf(const QPainter& painter)
{
    return painter.background().color();
}

} // namespace

// The inside of hollow marks is the painter's background, so that a line behind them ends at their edge.
void paintDiamond(QPainter& painter, QPointF centre, double size, const QColor& color)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, kStroke, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.setBrush(groundOf(painter));
    const double r = size / 2;
    painter.drawPolygon(
        QPolygonF({centre - QPointF(0, r), centre + QPointF(r, 0), centre + QPointF(0, r), centre - QPointF(r, 0)}));
    painter.restore();
}

void paintDot(QPainter& painter, QPointF centre, double size, const QColor& color, bool filled)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, kStroke));
    painter.setBrush(filled ? color : groundOf(painter));
    const double r = (size - kStroke) / 2;
    painter.drawEllipse(centre, r, r);
    painter.restore();
}

} // namespace ridge::app

#include "moc_prediction_mark.cpp"
