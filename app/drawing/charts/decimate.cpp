// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/decimate.h"

#include <algorithm>

namespace ridge::app {

QList<QPointF> decimate(const QList<QPointF>& points, int columns)
{
    if (columns < 1 || points.size() <= 2 * static_cast<qsizetype>(columns))
        return points;
    const double left = points.first().x();
    const double width = (points.last().x() - left) / columns;
    if (!(width > 0))
        return points;
    QList<QPointF> kept;
    kept.reserve(2 * columns);
    qsizetype begin = 0;
    while (begin < points.size()) {
        const int column = std::min(columns - 1, static_cast<int>((points[begin].x() - left) / width));
        qsizetype low = begin, high = begin, end = begin;
        while (end < points.size() &&
               std::min(columns - 1, static_cast<int>((points[end].x() - left) / width)) <= column) {
            if (points[end].y() < points[low].y())
                low = end;
            if (points[end].y() > points[high].y())
                high = end;
            ++end;
        }
        kept.append(points[std::min(low, high)]);
        if (low != high)
            kept.append(points[std::max(low, high)]);
        begin = end;
    }
    return kept;
}

} // namespace ridge::app
