// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "base/provenance.h"
#include "base/seed.h"
#include "base/target_kind.h"

namespace ridge::silicon {
struct Machine;
}

namespace ridge::labs {

class GpuContext;
class GpuExperiment;

/// What an experiment gets besides its parameters, and where its results go. One context serves one point. Nothing here
/// needs a GPU; what does is in labs/gpu_experiment.h.
class RunContext {
public:
    virtual ~RunContext() = default;
    /// What executes the point, of this machine: a remote target was taken off before.
    virtual const Target& target() const = 0;
    /// The machine that is simulated; null on every target that is none.
    virtual const silicon::Machine* machine() const = 0;
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
    /// The picture of a point; of a kind the last one is kept. `bytes` begin with the frame of docs/protocol.md
    /// (base/trace_bytes.h), with a magic that starts with R: by it a file of several traces is taken apart again.
    /// Nobody need know the kind.
    virtual void trace(const std::string& kind, std::string bytes) = 0;
    virtual bool wantsTrace() const = 0;
    virtual void log(const std::string& message) = 0;

    /// This context with its device; null on a target that has none.
    virtual GpuContext* gpu() { return nullptr; }
};

/// A pure function of (kernel source, parameters, seed, target).
class Experiment {
public:
    virtual ~Experiment() = default;
    virtual const ExperimentInfo& info() const = 0;
    /// `params` is complete and checked, the target's kind is one of info().targets, and a machine is of info().engine.
    virtual Result<void> run(const ParamSet& params, RunContext& context) const = 0;
    /// This experiment, where it runs kernels on a device; null for all others.
    virtual const GpuExperiment* onDevices() const { return nullptr; }
};

} // namespace ridge::labs
