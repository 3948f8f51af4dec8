// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/gpu_experiment.h"
#include "labs/worker/execute.h"

#include <set>

namespace ridge::labs {

/// Kernels compiled once for a request, and loaded on one device at a time.
class KernelSet {
public:
    /// Errors: those of readKernel and compile.
    Result<void> compile(const std::string& name, const gpu::DeviceInfo& device);
    /// A source that is no file of kernels/, by its name.
    Result<void> compile(const gpu::KernelSource& source, const gpu::DeviceInfo& device);
    /// Compiles where that is still to be done. Errors: those of compile and Device::load.
    Result<const gpu::LoadedProgram*> load(const std::string& name, gpu::Device& device);
    Result<const gpu::LoadedProgram*> load(const gpu::KernelSource& source, gpu::Device& device);
    /// Before another device takes the place of the one they are loaded on.
    void unload() { m_loaded.clear(); }
    /// [{name, compiler, version, arch, source_sha256}] for the fingerprint.
    Json describe() const;

private:
    Result<void> make(const gpu::KernelSource& source, const gpu::DeviceInfo& device);
    std::map<std::string, gpu::Program> m_programs;
    std::map<std::string, std::unique_ptr<gpu::LoadedProgram>> m_loaded;
};

/// Collects one point's results; turns them into a sample at the end.
class PointContext : public GpuContext {
public:
    /// What the points of one request have in common.
    struct Common {
        KernelSet kernels;
        Target target;
        const silicon::Machine* machine = nullptr; ///< null on a target that is none
        std::map<std::string, double> shared;
        std::set<std::string> advised; ///< each once a request
    };
    /// `device` is null on targets that have none. Everything but `index` is kept by reference.
    PointContext(const ExperimentInfo& info, gpu::Device* device, Common& common, const RunRequest& request,
                 std::size_t index, const EventSink& sink, const gpu::StopRequested& stop);

    const Target& target() const override { return m_common.target; }
    const silicon::Machine* machine() const override { return m_common.machine; }
    GpuContext* gpu() override { return m_device != nullptr ? this : nullptr; }
    gpu::Device& device() override;
    Result<const gpu::LoadedProgram*> kernel(const std::string& name) override;
    Result<const gpu::LoadedProgram*> written(const gpu::KernelSource& source) override;
    Rng& rng() override;
    std::map<std::string, double>& shared() override { return m_common.shared; }
    bool cancelled() const override { return m_stop && m_stop(); }
    void progress(double fraction, const std::string& message) override;
    void metric(const std::string& name, double value, Provenance provenance) override;
    void limit(const std::string& metric, double value) override;
    void check(const std::string& name, bool passed, const std::string& detail) override;
    void validity(const std::string& verdict) override { m_sample.validity = verdict; }
    void trace(const std::string& kind, std::string bytes) override;
    bool wantsTrace() const override { return m_request.trace; }
    void log(const std::string& message) override { m_sink(LogEvent{message}); }

    SampleEvent takeSample(ParamSet params);
    /// In the order in which docs/protocol.md sends them: memory, launch, schedule, then others as they came.
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
    std::vector<TraceEvent> m_traces; ///< one of a kind
};

} // namespace ridge::labs
