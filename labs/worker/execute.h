// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/experiment.h"
#include "labs/harness/target.h"

namespace ridge::labs {

/// Runs every point of a request and sends its events, Started first and Finished or Failed last. `stop` is polled by
/// the engines; what it means (cancelled or out of time) is asked of `stopReason` afterwards.
/// Returns true when the request finished, false when it failed.
bool execute(std::span<const std::unique_ptr<Experiment>> catalogue, const RunRequest& request, const EventSink& sink,
             const gpu::StopRequested& stop, const std::function<Error()>& stopReason);

} // namespace ridge::labs
