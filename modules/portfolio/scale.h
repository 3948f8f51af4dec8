// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace ridge::folio {

struct Mark {
    double value = 0;
    std::string label;
};

/// A range and how it maps to a line of pixels.
struct Scale {
    bool log = false;
    double min = 0, max = 1, from = 0, to = 1; ///< values; pixels
    double at(double value) const;
};

/// Holds all values with a little room. Logarithmic where it is asked for and every value is positive; a linear one of
/// values that are not negative begins at zero.
Scale scaleFor(const std::vector<double>& values, bool log, double from, double to);

/// 1 2 4 8 … or 1 10 100 … on logarithms, 1-2-5 steps else; at most `most`. With `binary` a multiple of 1024 is written
/// with Ki, Mi; everything else from ten thousand on with k, M, G. Times carry their unit: "20 µs".
std::vector<Mark> marksOf(const Scale& scale, std::size_t most, const std::string& unit, bool binary);

} // namespace ridge::folio
