// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

namespace ridge::app {

/// The pin of runs of the store that were made together: of one run its id is the key, else the sweep's. Its name says
/// the experiment and what was run: "Coalescing, stride 1 … 128".
Pin pinOf(const AppContext& context, std::vector<record::RunRow> runs);

/// Pins what a key names ("run:<id>", "sweep:<id>", "file:<path>", "baseline:<id>/<experiment>"). Errors:
/// "unknown-page" (nothing stored under it), those of readRunDocument, those of PinBoard::add.
Result<void> pinByKey(AppContext& context, const QString& key);

QStringList pinKeys(const PinBoard& board);

} // namespace ridge::app
