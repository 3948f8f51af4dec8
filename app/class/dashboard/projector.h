// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

class QWidget;

namespace ridge::app {

constexpr double kProjectorScale = 1.6; ///< of the text, up to what a theme allows

/// Makes `large` the theme of the program, with its type larger on a projector. Error: no theme of that name.
Result<void> followTheme(Theme& large, const Theme& own, bool projector);

/// Controls take the size of their text from the application; on a projector `root` and what is in it from a sheet.
void dressControls(QWidget& root, const Theme& large, bool projector);

} // namespace ridge::app
