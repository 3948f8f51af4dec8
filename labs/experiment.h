// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/launch_trace.h"
#include "base/protocol.h"
#include "base/schedule_trace.h"
#include "base/seed.h"
#include "gpu/device.h"

namespace ridge::labs {

/// What an experiment gets besides its parameters, and where its results go. One context serves one point.
class RunContext {
public:
    virtual ~RunContext() = default;
    /// There is none on the targets "cpu" and "model".
    virtual gpu::Device& device() = 0;
    /// Compiled once per request and device, then reused for every point.
    virtual Result<const gpu::LoadedProgram*> kernel(const std::string& name) = 0;
    virtual Rng& rng() = 0;
    /// What the points of one request tell each other, by a name of the experiment's own; empty at the first. For what
    /// is measured on the target "cpu" only: a simulated point gives the same bits alone and at any place of a sweep.
    virtual std::map<std::string, double>& shared() = 0;
    virtual bool cancelled() const = 0;

    virtual void progress(double fraction, const std::string& message) = 0;
    virtual void metric(const std::string& name, double value, Provenance provenance) = 0;
    virtual void limit(const std::string& metric, double value) = 0;
    virtual void check(const std::string& name, bool passed, const std::string& detail) = 0;
    virtual void validity(const std::string& verdict) = 0;
    virtual void trace(const MemoryTrace& trace) = 0;
    virtual bool wantsTrace() const = 0;
    /// What a timed launch did; the last one of a point is kept. Whoever wants no traces need not care.
    virtual void launchTrace(const LaunchTrace&) {}
    /// What streams and engines did when; the last one of a point is kept.
    virtual void scheduleTrace(const ScheduleTrace&) {}
    virtual void log(const std::string& message) = 0;
};

/// A pure function of (kernel source, parameters, seed, target).
class Experiment {
public:
    virtual ~Experiment() = default;
    virtual const ExperimentInfo& info() const = 0;
    /// Those of info().kernels that a point needs on a device: only they are compiled.
    virtual std::vector<std::string> kernels(const ParamSet&, const gpu::DeviceInfo&) const { return info().kernels; }
    /// `params` is complete and checked.
    virtual Result<void> run(const ParamSet& params, RunContext& context) const = 0;
    /// What is known in closed form; for experiments whose targets contain "model". Every metric is MODELLED.
    virtual Result<void> runModel(const ParamSet&, RunContext&) const
    {
        return Error{"unsupported-target", info().id + " is no model", "target model", "choose another target"};
    }
    /// The same on this machine's processor, natively; for experiments whose targets contain "cpu".
    virtual Result<void> runOnCpu(const ParamSet&, RunContext&) const
    {
        return Error{"unsupported-target", info().id + " does not run on the processor", "target cpu",
                     "choose another target"};
    }
};

} // namespace ridge::labs
