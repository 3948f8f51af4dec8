// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/point_context.h"

#include "base/trace_bytes.h"
#include "labs/worker/verdict_advice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace ridge::labs {

Result<void> KernelSet::compile(const std::string& name, const gpu::DeviceInfo& device)
{
    if (m_programs.contains(name))
        return {};
    const auto source = gpu::readKernel(name);
    if (!source)
        return source.error();
    return make(*source, device);
}

Result<void> KernelSet::compile(const gpu::KernelSource& source, const gpu::DeviceInfo& device)
{
    return m_programs.contains(source.name) ? Result<void>() : make(source, device);
}

Result<void> KernelSet::make(const gpu::KernelSource& source, const gpu::DeviceInfo& device)
{
    const char* wanted = std::getenv("RIDGE_COMPILER");
    const auto choice = gpu::compilerFromText(wanted && *wanted ? wanted : "auto");
    if (!choice)
        return choice.error();
    auto program = gpu::compile(source, device, {.choice = *choice});
    if (!program)
        return program.error();
    m_programs.emplace(source.name, std::move(*program));
    return {};
}

Result<const gpu::LoadedProgram*> KernelSet::load(const std::string& name, gpu::Device& device)
{
    if (const auto found = m_loaded.find(name); found != m_loaded.end())
        return found->second.get();
    if (auto compiled = compile(name, device.info()); !compiled)
        return compiled.error();
    auto loaded = device.load(m_programs.at(name));
    if (!loaded)
        return loaded.error();
    return m_loaded.emplace(name, std::move(*loaded)).first->second.get();
}

Result<const gpu::LoadedProgram*> KernelSet::load(const gpu::KernelSource& source, gpu::Device& device)
{
    if (auto compiled = compile(source, device.info()); !compiled)
        return compiled.error();
    return load(source.name, device);
}

Json KernelSet::describe() const
{
    Json list = Json::array();
    for (const auto& [name, program] : m_programs) {
        Json entry{{"name", name},
                   {"compiler", program.compiler},
                   {"version", program.compilerVersion},
                   {"arch", program.arch},
                   {"source_sha256", program.sourceSha256}};
        // What the driver took, which may be less than it was offered.
        if (const auto loaded = m_loaded.find(name);
            loaded != m_loaded.end() && !loaded->second->program().cubin.empty())
            entry["machine_code"] = loaded->second->program().cubinArch;
        list.push_back(std::move(entry));
    }
    return list;
}

PointContext::PointContext(const ExperimentInfo& info, gpu::Device* device, Common& common, const RunRequest& request,
                           std::size_t index, const EventSink& sink, const gpu::StopRequested& stop)
    : m_info(info), m_device(device), m_common(common), m_request(request), m_sink(sink), m_stop(stop),
      m_rng(request.seed)
{
    m_sample.index = index;
    m_sample.validity = "valid";
}

gpu::Device& PointContext::device()
{
    if (!m_device)
        throw std::logic_error(m_info.id + " asks for a device where the target has none");
    return *m_device;
}

Rng& PointContext::rng()
{
    if (m_info.drawsNothing)
        throw std::logic_error(m_info.id + " says that it draws nothing, and asks for random numbers");
    return m_rng;
}

Result<const gpu::LoadedProgram*> PointContext::kernel(const std::string& name)
{
    return m_common.kernels.load(name, device());
}

Result<const gpu::LoadedProgram*> PointContext::written(const gpu::KernelSource& source)
{
    return m_common.kernels.load(source, device());
}

void PointContext::progress(double fraction, const std::string& message)
{
    const double points = static_cast<double>(m_request.points.size());
    m_sink(ProgressEvent{(static_cast<double>(m_sample.index) + std::clamp(fraction, 0.0, 1.0)) / points, message});
}

void PointContext::metric(const std::string& name, double value, Provenance provenance)
{
    const MetricSpec* spec = m_info.metric(name);
    if (!spec)
        throw std::logic_error(m_info.id + " reports a metric it does not declare: " + name);
    if (!std::isfinite(value))
        throw std::logic_error(m_info.id + " reports a metric that is not a number: " + name);
    m_sample.metrics[name] = {value, spec->unit, provenance};
}

void PointContext::limit(const std::string& metric, double value)
{
    const auto spec = std::find_if(m_info.limits.begin(), m_info.limits.end(),
                                   [&](const LimitSpec& limit) { return limit.metric == metric; });
    if (spec == m_info.limits.end() || !std::isfinite(value))
        throw std::logic_error(m_info.id + " reports a limit it does not declare or that is not a number: " + metric);
    m_sample.limits[metric] = {value, spec->kind};
}

void PointContext::check(const std::string& name, bool passed, const std::string& detail)
{
    m_sample.checks.push_back({name, passed, detail});
}

void PointContext::trace(const std::string& kind, std::string bytes)
{
    if (!m_request.trace)
        return;
    const auto framed = splitTraces(bytes);
    if (kind.empty() || !framed || framed->size() != 1)
        throw std::logic_error(m_info.id + " gives a trace of kind '" + kind + "' that is not framed as one");
    const auto same = std::ranges::find(m_traces, kind, &TraceEvent::kind);
    if (same != m_traces.end())
        same->bytes = std::move(bytes);
    else
        m_traces.push_back({m_sample.index, kind, std::move(bytes)});
}

SampleEvent PointContext::takeSample(ParamSet params)
{
    for (const std::string& advice : adviceOn(m_sample.validity))
        if (m_common.advised.insert(advice).second)
            log(advice);
    m_sample.params = std::move(params);
    return std::move(m_sample);
}

std::vector<TraceEvent> PointContext::takeTraces()
{
    constexpr std::array<std::string_view, 3> kFirst = {"memory", "launch", "schedule"};
    const auto place = [&](const TraceEvent& trace) { return std::ranges::find(kFirst, trace.kind) - kFirst.begin(); };
    std::ranges::stable_sort(m_traces, {}, place);
    for (std::size_t at = 0; at + 1 < m_traces.size(); ++at)
        m_traces[at].more = true;
    return std::move(m_traces);
}

} // namespace ridge::labs
