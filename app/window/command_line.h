// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QSize>
#include <QString>
#include <QStringList>

namespace ridge::app {

/// What `ridgepoint` was asked to do. `--help` is the documentation of it.
struct CommandLine {
    QString open;   ///< page, empty: where the learner left
    QString file;   ///< to be opened, absolute; empty: none
    QString theme;  ///< empty: as set
    QString layout; ///< "read", "lab", "debug", "present"; empty: as left
    bool portable = false;
    bool safeGraphics = false;
    bool timing = false;
    bool quitAfterPaint = false;
    bool help = false, version = false;

    QString screenshot; ///< file, empty: an ordinary start
    double scale = 1;
    QSize size{1280, 800};
    double scroll = -1; ///< 0..1, negative: where the page opens
    QString block;
    bool waitRuns = false;
    double textScale = 0; ///< 0: as set
};

enum ExitCode { ExitOk = 0, ExitFailed = 1, ExitUsage = 2, ExitUnknownPage = 3, ExitCannotWrite = 4, ExitTimeout = 5 };

/// `arguments` without the program's name. Errors: "bad-argument" (names it and what is legal).
Result<CommandLine> parseCommandLine(const QStringList& arguments);

/// Every page that --open takes, parts to be filled in as <name>.
QStringList pageNames();

QString helpText();

} // namespace ridge::app
