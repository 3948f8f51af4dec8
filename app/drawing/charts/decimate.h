// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPointF>

namespace ridge::app {

/// At most two points for each of `columns` equal parts of the x range: the lowest and the highest of that part, in
/// their order. Every extreme survives, so a spike of one sample stays visible. Points must be ascending in x;
/// fewer than 2 × columns points come back unchanged.
QList<QPointF> decimate(const QList<QPointF>& points, int columns);

} // namespace ridge::app
