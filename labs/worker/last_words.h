// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/worker/worker_output.h"

namespace ridge::labs {

/// From now on an exception that nobody catches, on whatever thread, ends the process with a Failed event and exit
/// code 1. Most often it is std::bad_alloc on a thread of the simulation, whose work cannot be taken back: the others
/// wait for it. `output` lives as long as the process.
void speakBeforeTheEnd(WorkerOutput& output);

} // namespace ridge::labs
