// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

namespace ridge::app {

/// WCAG 2.2 relative luminance of an opaque sRGB colour, 0..1.
double relativeLuminance(const QColor& color);

/// WCAG 2.2 contrast ratio, 1..21.
double contrastRatio(const QColor& a, const QColor& b);

enum class Vision { Normal, Protan, Deutan, Tritan };

/// How a colour looks to a dichromat: Machado, Oliveira, Fernandes 2009, severity 1.0, in linear RGB.
QColor simulateVision(const QColor& color, Vision vision);

/// CIEDE2000 colour difference (Sharma, Wu, Dalal 2005) under D65.
double colorDifference(const QColor& a, const QColor& b);

/// `over` at `alpha` on an opaque ground, as an opaque colour.
QColor blend(const QColor& ground, const QColor& over, double alpha);

} // namespace ridge::app
