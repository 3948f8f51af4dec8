// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/host_time.h"

#include <algorithm>
#include <fmt/core.h>

namespace ridge::labs {

host::Sampling samplingOf(RunContext& context)
{
    host::Sampling how;
    how.stop = [&context] { return context.cancelled(); };
    return how;
}

void reportHostTime(RunContext& context, const host::Timing& timing)
{
    context.validity(timing.validity);
    context.metric("time", timing.medianSeconds, Provenance::Measured);
    context.metric("time_min", timing.minSeconds, Provenance::Measured);
    context.metric("time_p95", timing.p95Seconds, Provenance::Measured);
}

Result<double> hostRoof(RunContext& context, const std::string& name, double seen,
                        const std::function<Result<HostRoofSample>()>& measureIt)
{
    double& roof = context.shared()[name];
    double& settled = context.shared()[name + ", settled"]; // 1 of a roof that points need not measure again
    if (settled == 0) {
        const auto measured = measureIt();
        if (!measured)
            return measured.error();
        roof = std::max(roof, measured->best);
        settled = measured->disturbed ? 0 : 1;
    }
    return roof = std::max(roof, seen);
}

Result<double> hostReadRoof(RunContext& context, host::Team& team, std::uint64_t bytesPerThread, double seen)
{
    return hostRoof(context, fmt::format("reads of {} B", bytesPerThread), seen, [&]() -> Result<HostRoofSample> {
        const auto reads = host::timeReads(team, bytesPerThread, samplingOf(context));
        if (!reads)
            return reads.error();
        return HostRoofSample{static_cast<double>(reads->bytes) / reads->timing.minSeconds,
                              reads->timing.validity == "contended"};
    });
}

std::uint64_t hostMemoryBytes(std::uint64_t wanted, const host::Machine& machine)
{
    constexpr std::uint64_t kTimesTheCache = 4, kMost = 1u << 30;
    const std::uint64_t last = machine.caches.empty() ? 0 : machine.caches.back().bytes;
    return std::max(wanted, std::min(kTimesTheCache * last, kMost));
}

} // namespace ridge::labs
