// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"

#include <QtTest>
#include <numeric>

namespace ridge::labs::test {

/// Runs one point of an experiment and keeps what it reports, on any device.
class Point : public GpuContext {
public:
    Point(gpu::Device& target, const ExperimentInfo& about, gpu::CompilerChoice with)
        : info(about), m_device(target), m_choice(with)
    {
        const auto parsed = parseTarget(target.info().target);
        if (!parsed)
            qFatal("%s", toText(parsed.error()).c_str());
        m_target = *parsed;
    }

    const Target& target() const override { return m_target; }
    const silicon::Machine* machine() const override { return nullptr; }

    gpu::Device& device() override { return m_device; }
    Result<const gpu::LoadedProgram*> kernel(const std::string& name) override
    {
        if (const auto known = m_loaded.find(name); known != m_loaded.end())
            return known->second.get();
        const auto source = gpu::readKernel(name);
        if (!source)
            return source.error();
        return written(*source);
    }
    Result<const gpu::LoadedProgram*> written(const gpu::KernelSource& source) override
    {
        if (const auto known = m_loaded.find(source.name); known != m_loaded.end())
            return known->second.get();
        const auto program = gpu::compile(source, m_device.info().computeMajor, m_device.info().computeMinor, m_choice);
        if (!program)
            return program.error();
        auto loaded = m_device.load(*program);
        if (!loaded)
            return loaded.error();
        return (m_loaded[source.name] = std::move(*loaded)).get();
    }
    Rng& rng() override { return m_rng; }
    std::map<std::string, double>& shared() override { return common; }
    bool cancelled() const override { return cancelAfter >= 0 && polls++ >= cancelAfter; }
    void progress(double, const std::string&) override {}
    void metric(const std::string& name, double value, Provenance by) override
    {
        QVERIFY2(info.metric(name), name.c_str());
        QVERIFY(!metrics.contains(name));
        metrics[name] = value;
        provenance[name] = by;
    }
    void limit(const std::string& metric, double value) override
    {
        const auto spec = std::ranges::find(info.limits, metric, &LimitSpec::metric);
        QVERIFY2(spec != info.limits.end(), metric.c_str());
        limits[metric] = value;
    }
    void check(const std::string& name, bool passed, const std::string& detail) override
    {
        checks.push_back({name, passed, detail});
    }
    void validity(const std::string& text) override { verdict = text; }
    void trace(const std::string& kind, std::string bytes) override
    {
        if (kind == "memory")
            traced = decoded(kind, decodeTrace(bytes));
        else if (kind == "launch")
            launch = decoded(kind, decodeLaunchTrace(bytes));
        else if (kind == "schedule")
            scheduled = decoded(kind, decodeScheduleTrace(bytes));
    }
    bool wantsTrace() const override { return wantTrace; }
    void log(const std::string& message) override { logged += message + "\n"; }

    /// Every metric that has a limit keeps to it.
    /// `edge`: share by which a value may pass a bound because the clock of a warp stops when its last instruction is
    /// issued: of n instructions, n - 1 intervals are certain.
    bool withinLimits(double edge = 1e-12) const
    {
        for (const auto& spec : info.limits) {
            if (!limits.contains(spec.metric) || !metrics.contains(spec.metric))
                continue;
            const double value = metrics.at(spec.metric), bound = limits.at(spec.metric);
            if (spec.kind == "lower" ? value < bound * (1 - edge) : value > bound * (1 + edge))
                return false;
        }
        return true;
    }

    ExperimentInfo info;
    std::map<std::string, double> metrics;
    std::string logged;
    std::map<std::string, Provenance> provenance;
    std::map<std::string, double> limits;
    std::map<std::string, double> common;
    std::vector<CheckResult> checks;
    std::optional<MemoryTrace> traced;
    std::optional<LaunchTrace> launch;
    std::optional<ScheduleTrace> scheduled;
    std::string verdict = "valid";
    bool wantTrace = true;
    int cancelAfter = -1;
    mutable int polls = 0;

private:
    template<class Trace>
    static Trace decoded(const std::string& kind, Result<Trace> trace)
    {
        if (!trace)
            qFatal("%s: %s", kind.c_str(), toText(trace.error()).c_str());
        return std::move(*trace);
    }

    gpu::Device& m_device;
    Target m_target;
    gpu::CompilerChoice m_choice;
    std::map<std::string, std::unique_ptr<gpu::LoadedProgram>> m_loaded;
    Rng m_rng{7};
};

inline ParamSet complete(const ExperimentInfo& info, const ParamSet& given, const char* targetClass = "sim")
{
    const auto all = completeParams(info.parameters, given, targetClass);
    if (!all)
        qFatal("%s", toText(all.error()).c_str());
    return *all;
}

inline std::int64_t ceilDiv(std::int64_t a, std::int64_t b)
{
    return (a + b - 1) / b;
}

/// Sectors (or lines) of `granule` bytes that 32 lanes touch at base + lane × stride × bytes, base aligned. Lanes
/// nearer than a granule leave none out between the first and the last; farther apart, each has its own.
inline std::int64_t expectedGranules(std::int64_t stride, std::int64_t bytes, std::int64_t offset, std::int64_t granule)
{
    const std::int64_t step = stride * bytes;
    if (step >= granule)
        return 32;
    const std::int64_t first = offset * bytes, last = first + 31 * step + bytes - 1;
    return last / granule - first / granule + 1;
}

} // namespace ridge::labs::test
