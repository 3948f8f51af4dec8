// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/command_line.h"

class QCoreApplication;

namespace ridge::app {

class MainWindow;

/// Opens the page, waits until it rests, writes the picture. Runs the event loop; gives the exit status and says on
/// standard error what went wrong.
int takeScreenshot(MainWindow& window, const CommandLine& line);

} // namespace ridge::app
