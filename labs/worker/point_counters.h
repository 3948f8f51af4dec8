// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/worker/execute.h"

#include <chrono>

namespace ridge::labs {

/// Has a GPU count what the kernels of a point do, where the request asks for it: after the point itself, so that
/// nothing that was timed ran below a profiler. Simulators, processors and models are left as they are.
class PointCounters {
public:
    /// Everything is kept by reference. The clock starts: half of what is left of the request's time may go to a point.
    PointCounters(const ExperimentInfo& info, const RunRequest& request, const gpu::Device* device,
                  const EventSink& sink, const gpu::StopRequested& stop);

    /// Adds counters to the sample, as measured metrics: those of docs/counters.md by their names, and those of
    /// simulatedMetrics() that follow from them and that the experiment declares. Without counters the sample says why
    /// and is as good as it was. Errors: "cancelled".
    Result<void> count(SampleEvent& sample);

private:
    const ExperimentInfo& m_info;
    const RunRequest& m_request;
    const EventSink& m_sink;
    const gpu::StopRequested& m_stop;
    const bool m_wanted;
    const std::uint32_t m_warpSlots; ///< of an SM; 0: not known
    const std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
    std::optional<Error> m_never; ///< why no point can be counted
};

} // namespace ridge::labs
