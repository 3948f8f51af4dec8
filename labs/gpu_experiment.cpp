// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/gpu_experiment.h"

namespace ridge::labs {

void GpuContext::memoryTrace(const MemoryTrace& given)
{
    if (wantsTrace())
        trace("memory", encodeTrace(given));
}

void GpuContext::launchTrace(const LaunchTrace& given)
{
    if (wantsTrace())
        trace("launch", encodeLaunchTrace(given));
}

void GpuContext::scheduleTrace(const ScheduleTrace& given)
{
    if (wantsTrace())
        trace("schedule", encodeScheduleTrace(given));
}

Result<void> GpuExperiment::run(const ParamSet& params, RunContext& context) const
{
    GpuContext* const device = context.gpu();
    return device != nullptr ? runOnDevice(params, *device) : runOnCpu(params, context);
}

Result<void> GpuExperiment::runOnCpu(const ParamSet&, RunContext&) const
{
    return Error{"unsupported-target", info().id + " runs on nothing without a device", "target",
                 "choose another target"};
}

} // namespace ridge::labs
