// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace ridge::app {

/// The wheel scrolls the page: a slider or combo box that happens to pass under the pointer must keep its value.
void ignoreWheel(QWidget* control);

} // namespace ridge::app
