// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/schedule.h"
#include "labs/gpu_experiment.h"

namespace ridge::labs {

/// Executes it with the labels of its operations as a Gantt chart for who wants traces. The verdict on the spread of
/// its repeats goes to the context.
Result<gpu::ScheduleReport> runSchedule(GpuContext& context, const gpu::Schedule& schedule,
                                        const gpu::ScheduleOptions& options, const std::string& title);

/// Seconds that operation `index` took on the device. The report must have a timeline.
inline double secondsOf(const gpu::ScheduleReport& report, std::size_t index)
{
    return report.operations.at(index).end - report.operations.at(index).begin;
}

} // namespace ridge::labs
