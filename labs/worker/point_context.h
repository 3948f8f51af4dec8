// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/worker/execute.h"

#include <set>

namespace ridge::labs {

/// Kernels compiled once for a request, and loaded on one device at a time.
class KernelSet {
public:
    /// Errors: those of readKernel and compile.
    Result<void> compile(const std::string& name, const gpu::DeviceInfo& device);
    /// Compiles where that is still to be done. Errors: those of compile and Device::load.
    Result<const gpu::LoadedProgram*> load(const std::string& name, gpu::Device& device);
    /// Before another device takes the place of the one they are loaded on.
    void unload() { m_loaded.clear(); }
    /// [{name, compiler, version, arch, source_sha256}] for the fingerprint.
    Json describe() const;

private:
    std::map<std::string, gpu::Program> m_programs;
    std::map<std::string, std::unique_ptr<gpu::LoadedProgram>> m_loaded;
};

/// Whether an experiment's data are the same for every seed, so that nobody need run it again for another one: its
/// fingerprint says so, and PointContext::rng() holds it to that.
bool drawsNothing(const std::string& experiment);

/// Collects one point's results; turns them into a sample at the end.
class PointContext : public RunContext {
public:
    /// What the points of one request have in common.
    struct Common {
        KernelSet kernels;
        bool draws = true; ///< from the request's seed
        std::map<std::string, double> shared;
        std::set<std::string> advised; ///< each once a request
    };
    /// `device` is null on the targets "cpu" and "model".
    PointContext(const ExperimentInfo& info, gpu::Device* device, Common& common, const RunRequest& request,
                 std::size_t index, const EventSink& sink, const gpu::StopRequested& stop);

    gpu::Device& device() override;
    Result<const gpu::LoadedProgram*> kernel(const std::string& name) override;
    Rng& rng() override;
    std::map<std::string, double>& shared() override { return m_common.shared; }
    bool cancelled() const override { return m_stop && m_stop(); }
    void progress(double fraction, const std::string& message) override;
    void metric(const std::string& name, double value, Provenance provenance) override;
    void limit(const std::string& metric, double value) override;
    void check(const std::string& name, bool passed, const std::string& detail) override;
    void validity(const std::string& verdict) override { m_sample.validity = verdict; }
    void trace(const MemoryTrace& trace) override;
    bool wantsTrace() const override { return m_request.trace; }
    void launchTrace(const LaunchTrace& trace) override;
    void scheduleTrace(const ScheduleTrace& trace) override;
    void log(const std::string& message) override { m_sink(LogEvent{message}); }

    SampleEvent takeSample(ParamSet params);
    std::vector<TraceEvent> takeTraces();

private:
    const ExperimentInfo& m_info;
    gpu::Device* m_device;
    Common& m_common;
    const RunRequest& m_request;
    const EventSink& m_sink;
    const gpu::StopRequested& m_stop;
    Rng m_rng;
    SampleEvent m_sample;
    std::optional<TraceEvent> m_trace, m_launch, m_schedule;
};

} // namespace ridge::labs
