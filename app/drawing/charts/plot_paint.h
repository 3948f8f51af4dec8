// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot.h"
#include "base/provenance.h"

namespace ridge::app {

/// Painting that the kinds of charts share. The painter's background is the theme's surface.

double snapped(double v); ///< the middle of a pixel, so that a hairline is one pixel wide
double textWidth(const Theme& theme, TextStyle style, const QString& text);
/// Height of wrapped text; 0 without text or room.
double textHeight(const Theme& theme, TextStyle style, const QString& text, double width);
/// Text with a ground of its own, so that grid and curves stop at its edge.
void paintOnGround(QPainter& painter, QRectF rect, int flags, const QString& text);
/// Sets font and colour, elides to the rectangle's width.
void paintText(QPainter& painter, const Theme& theme, TextStyle style, Role role, QRectF rect, int flags,
               const QString& text);
/// The read-out beside a point; inside `view`, wrapped when it is wider.
void paintTag(QPainter& painter, const Theme& theme, QRectF view, QRectF anchor, const QString& text);

/// One entry of a key. A key is needed where direct labels cannot stand.
struct KeyEntry {
    QString text;
    QColor color;
    int shape = -1; ///< of paintSeriesMarker; -1: a filled square
    Provenance provenance = Provenance::Measured;
};
/// Rows from the left; returns the height used. With no painter it only measures.
double paintKey(QPainter* painter, const Theme& theme, QRectF area, const std::vector<KeyEntry>& entries);

/// Dark or light ink, whichever reads better on a data colour: at least 4.5 : 1 on any ground (WCAG 2).
QColor inkOn(const Theme& theme, const QColor& ground);

} // namespace ridge::app
