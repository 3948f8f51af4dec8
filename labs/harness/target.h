// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/protocol.h"
#include "gpu/device.h"

#include <functional>
#include <memory>

namespace ridge::labs {

/// Takes events in order; called on the thread that executes.
using EventSink = std::function<void(const Event&)>;

/// Decides whether a launch that has reached its limit goes on (gpu::DeviceOptions::goOn).
using GoOn = std::function<bool(const Error&)>;

/// The device of a target within the limits of a request; `stop` is polled by its launches. Errors: those of
/// parseTarget and gpu::openDevice, "unsupported-target" for a kind that has no device.
Result<std::unique_ptr<gpu::Device>> openTarget(const std::string& target, const RunLimits& limits,
                                                const gpu::StopRequested& stop, Regime regime = Regime::Quick,
                                                bool countOnly = false, const GoOn& goOn = {});

} // namespace ridge::labs
