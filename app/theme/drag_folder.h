// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace ridge::app {

/// A new folder for files that are dragged out of the window. It lasts as long as the program: who takes a file may
/// read it long after the drop. Empty where none can be made.
QString newDragFolder();

} // namespace ridge::app
