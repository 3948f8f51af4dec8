// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/experiment.h"

namespace ridge::labs {

/// Takes events in order; called on the thread that executes.
using EventSink = std::function<void(const Event&)>;

/// Whether a launch that has spent what it may shall go on (gpu::DeviceOptions::goOn).
using GoOn = std::function<bool(const Error&)>;

/// A target within the limits of a request; `stop` is polled by its launches. Errors: those of gpu::openDevice.
Result<std::unique_ptr<gpu::Device>> openTarget(const std::string& target, const RunLimits& limits,
                                                const gpu::StopRequested& stop, Regime regime = Regime::Quick,
                                                bool countOnly = false, const GoOn& goOn = {});

/// Runs every point of a request and sends its events, Started first and Finished or Failed last. `stop` is polled by
/// the engines; what it means (cancelled or out of time) is asked of `stopReason` afterwards.
/// Returns true when the request finished, false when it failed.
bool execute(std::span<const std::unique_ptr<Experiment>> catalogue, const RunRequest& request, const EventSink& sink,
             const gpu::StopRequested& stop, const std::function<Error()>& stopReason);

} // namespace ridge::labs
