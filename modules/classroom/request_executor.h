// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/protocol.h"

#include <functional>

namespace ridge::classroom {

/// What one request gave.
struct Executed {
    StartedEvent started;
    std::vector<SampleEvent> samples; ///< one a point, in the order of the request
    bool remembered = false;          ///< rememberedRuns had it
};

/// Runs a request to its end. `compiler` is one of RIDGE_COMPILER's ways ("nvrtc", "shipped" …); empty: any.
using Execute = std::function<Result<Executed>(const RunRequest& request, const std::string& compiler)>;

/// With the worker beside this program. Blocks on an event loop of the calling thread. `stopped` is asked ten times a
/// second: true ends the request at once. Errors: those of the worker, "cancelled".
Execute workerExecutor(std::function<bool()> stopped = {});

/// The compiler that made what ran, out of a fingerprint; empty where nothing was compiled.
std::string compilerOf(const Json& fingerprint);

/// What decides over the bits of a simulated run beside its request: kernels with compiler, version, architecture and
/// source, and the simulator with its chips' files. Two runs of equal build have equal bits.
Json buildOf(const Json& fingerprint);

} // namespace ridge::classroom
