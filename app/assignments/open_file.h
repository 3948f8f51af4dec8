// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QStringList>

namespace ridge::app {

/// Takes a file that somebody dropped, double-clicked or chose, and gives the place that shows it:
/// `.ridgeclass` → "assignment/file:…" (its preview; nothing is accepted yet) or "assignment/<id>" when it is the one
/// that was accepted already; exported runs → "compare/file:…"; whatever modules/imports knows → "artifact/<id>" of the
/// artifact that `ridge import` would make. Errors: "cannot-read", "unknown-file" (names what is taken), and those of
/// readAssignment, of the importers and of the store.
Result<QString> openFile(AppContext& context, const QString& path);

/// Only what a tool wrote, as an artifact: "File > Import a file…". Errors as openFile.
Result<QString> importFile(AppContext& context, const QString& path);

/// One line that names what openFile takes.
QString openableFiles();
/// Filters for a file dialog.
QString openFilters();

} // namespace ridge::app
