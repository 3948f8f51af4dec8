// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

namespace ridge::app {

/// One line of the type scale, in device-independent pixels at 100 %.
struct TypeToken {
    double pixels;
    int lineHeight;
    int weight;
    bool mono;
    bool tabular; ///< figures of equal width, where the Qt in use can ask the font for them (6.7 and later)
};

TypeToken typeToken(TextStyle style);

/// Font of a token at a text scale. Inter and JetBrains Mono, then what the system has.
QFont tokenFont(TextStyle style, double scale);

} // namespace ridge::app
