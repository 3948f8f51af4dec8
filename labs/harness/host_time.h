// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "host/machine.h"
#include "host/measure.h"
#include "labs/experiment.h"

#include <functional>

namespace ridge::labs {

/// How the target "cpu" samples: polls the context's cancellation.
host::Sampling samplingOf(RunContext& context);

/// Reports "time", "time_min", "time_p95" and the verdict, as reportTime() does for a GPU.
void reportHostTime(RunContext& context, const host::Timing& timing);

/// What a loop that does nothing else reached a second at best, and whether others had a share of the processors.
struct HostRoofSample {
    double best = 0;
    bool disturbed = false;
};

/// A roof of this processor: the best that any point of the request has seen, in the measurement of the roof itself or
/// in its own work (`seen`); a roof that something passes is none. Measured until nobody disturbed it, else once more
/// by the next point. Points of one request share it by `name`.
Result<double> hostRoof(RunContext& context, const std::string& name, double seen,
                        const std::function<Result<HostRoofSample>()>& measureIt);

/// The roof of reading: every thread of the team reads a buffer of its own of so many bytes. Bytes a second.
Result<double> hostReadRoof(RunContext& context, host::Team& team, std::uint64_t bytesPerThread, double seen);

/// What a processor reads from memory: as much as was asked for, and so much that its last cache holds little of it.
/// The factor is STREAM's for arrays (https://www.cs.virginia.edu/stream/ref.html); more than a GiB only costs time.
std::uint64_t hostMemoryBytes(std::uint64_t wanted, const host::Machine& machine);

} // namespace ridge::labs
