// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runs/runs_model.h"
#include "record/store.h"

#include <QObject>
#include <functional>

namespace ridge::app {

/// Reads runs through a second, read-only connection on the thread pool and makes their texts there, so that ten
/// thousand rows do not stop the window. `taken` is called on the GUI thread, not at all once `receiver` is gone.
void loadRuns(const record::Store& store, record::RunFilter filter, std::vector<ExperimentInfo> experiments,
              QObject* receiver, std::function<void(Result<std::vector<RunsModel::Entry>>)> taken);

} // namespace ridge::app
