// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"

#include <QImage>
#include <QString>

class QWidget;

namespace ridge::golden {

/// A pixel differs when one of its channels is off by more than this: text smoothing stays below it.
inline constexpr int kChannelTolerance = 24;
inline constexpr double kShareTolerance = 0.01; ///< of all pixels; views with text

struct Difference {
    bool sameSize = false;
    double share = 1; ///< pixels beyond the channel tolerance
    QImage picture;   ///< what differs, in white on black
    bool accepted() const { return sameSize && share <= kShareTolerance; }
};

Difference compare(const QImage& expected, const QImage& actual);

/// Pictures depend on fonts and rasteriser: they are compared on Debian 12 with Inter installed. Empty: comparable.
QString whyNotComparable();

/// Compares with tests/golden/images/<name>.png; a dark theme or a picture at 2× that has no file of its own is held
/// against the light one at 1× (variants.h). Returns an empty text or what is wrong, after writing expected,
/// actual, difference and an index.html into the folder that it names. RIDGE_UPDATE_GOLDENS=1 rewrites the golden.
/// RIDGE_GOLDEN_REPORT=<file> adds a line "<% of pixels that differ>\t<name>" to that file for every picture, accepted
/// or not, and writes the folder of each.
QString checkImage(const QString& name, const QImage& actual);

/// A widget with all that it holds, `scale` pixels for each logical one.
QImage pictureOf(QWidget& widget, double scale = 1);

/// A widget at 1× and at 2×: the images <name>.png and <name>_2x.png.
QString checkView(const QString& name, QWidget& widget);

/// As checkImage for tests/golden/structure/<name>.json.
QString checkStructure(const QString& name, const Json& actual);

} // namespace ridge::golden
