// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/launch_trace.h"
#include "base/schedule_trace.h"
#include "base/trace.h"
#include "gpu/device.h"
#include "labs/experiment.h"

namespace ridge::labs {

/// The context of a point on a target with a device.
class GpuContext : public RunContext {
public:
    virtual gpu::Device& device() = 0;
    /// Compiled once per request and device, then reused for every point.
    virtual Result<const gpu::LoadedProgram*> kernel(const std::string& name) = 0;
    /// The same of a source of GpuExperiment::sources(); another text has another name.
    virtual Result<const gpu::LoadedProgram*> written(const gpu::KernelSource& source) = 0;
    GpuContext* gpu() override { return this; }

    // The traces of a GPU, encoded. Nothing is done where no traces are wanted.
    void memoryTrace(const MemoryTrace& trace);
    /// What a timed launch did.
    void launchTrace(const LaunchTrace& trace);
    /// What streams and engines did when.
    void scheduleTrace(const ScheduleTrace& trace);
};

/// An experiment that executes kernels.
class GpuExperiment : public Experiment {
public:
    /// Those of info().kernels that a point needs on a device: only they are compiled.
    virtual std::vector<std::string> kernels(const ParamSet&, const gpu::DeviceInfo&) const { return info().kernels; }
    /// Sources that it writes for a point itself and asks for with GpuContext::written(). None where it cannot: the run
    /// then says why.
    virtual std::vector<gpu::KernelSource> sources(const ParamSet&, const gpu::DeviceInfo&) const { return {}; }
    virtual Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const = 0;
    /// The same on this machine's processor, natively; for experiments whose targets contain "cpu".
    virtual Result<void> runOnCpu(const ParamSet& params, RunContext& context) const;

    Result<void> run(const ParamSet& params, RunContext& context) const final;
    const GpuExperiment* onDevices() const final { return this; }
};

} // namespace ridge::labs
