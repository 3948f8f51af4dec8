// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/parameters.h"

#include <QString>
#include <vector>

namespace ridge::app {

struct Tick {
    double value = 0;
    QString label;
};

/// A range in the axis' own values and how they map to a line from 0 to 1. Logarithms are to base two: sweeps double.
/// `decades` only chooses where a logarithmic axis has its ticks and how they are written: 1 10 100 1 k.
struct AxisScale {
    bool log = false;
    bool decades = false;
    double min = 0, max = 1;

    double transform(double value) const;  ///< value, or its log2; meaningless for value <= 0 on a log axis
    double fraction(double value) const;   ///< 0 at min, 1 at max
    double valueAt(double fraction) const; ///< what stands at a fraction
    bool accepts(double value) const;      ///< finite, and positive on a log axis
};

/// Range that holds `values` with room at the ends; linear ranges of positive values start at zero when `fromZero`.
AxisScale makeScale(ParamScale scale, const std::vector<double>& values, bool fromZero);

/// Logarithmic range with ticks at powers of ten and a fifth of a decade of room; values that are not positive are left
/// out. Without any: 1 to 1000.
AxisScale makeDecades(const std::vector<double>& values);

/// "1.5 T", "200", "0.02": a number on a decimal axis, with its SI prefix from a thousand on.
QString decadeLabel(double value);

/// Ticks inside the scale's range, at most `most` (at least two where the range holds two): 1 2 4 8 … on log axes,
/// 1-2-5 steps on linear ones.
std::vector<Tick> makeTicks(const AxisScale& scale, int most);

} // namespace ridge::app
