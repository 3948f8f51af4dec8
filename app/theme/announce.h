// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace ridge::app {

/// Says `text` to assistive technology on behalf of `about` (an announcement where Qt has them, 6.8 and later, else an
/// alert on the widget's description) and shows it in the window's status bar, if there is one.
void announce(QWidget* about, const QString& text);

} // namespace ridge::app
