// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "base/provenance.h"

#include <QPen>

class QPainter;

namespace ridge::app {

/// How a series is told apart without colour: dash and shape by position, provenance by fill (MEASURED and RECORDED
/// filled, SIMULATED open, MODELLED open with a dotted outline). The fourth shape is a hexagon, because an open
/// diamond means a prediction.
QPen seriesPen(const Theme& theme, int index, Provenance provenance);
void paintSeriesMarker(QPainter& painter, QPointF centre, double size, const QColor& color, int index,
                       Provenance provenance);

/// The same rule for bars: filled, open, or open with a dotted outline.
void paintProvenanceRect(QPainter& painter, const QRectF& rect, const QColor& color, Provenance provenance);

} // namespace ridge::app
