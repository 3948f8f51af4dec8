// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clocked_metric.h"
#include "gpu/targets/target_list.h"
#include "labs/harness/simulated_time.h"
#include "point.h"

namespace ridge::labs::test {

inline std::unique_ptr<gpu::Device> openSim(const char* target, std::uint64_t memoryBytes = 0)
{
    gpu::DeviceOptions options;
    options.memoryBytes = memoryBytes;
    auto device = gpu::openDevice(target, options);
    if (!device)
        qFatal("%s", toText(device.error()).c_str());
    return std::move(*device);
}

/// An experiment on a simulated chip, one point after the other.
class SimRuns {
public:
    SimRuns(std::unique_ptr<Experiment> experiment, const char* target,
            gpu::CompilerChoice with = gpu::CompilerChoice::Automatic)
        : m_experiment(std::move(experiment)), m_device(openSim(target)), m_choice(with)
    {
    }
    /// Fails the test, and gives an empty point, when the run does not end well.
    Point at(const ParamSet& given)
    {
        Point point(*m_device, m_experiment->info(), m_choice);
        const auto result = m_experiment->run(complete(m_experiment->info(), given), point);
        if (!result)
            qFatal("%s", toText(result.error()).c_str());
        if ((*m_device->info().fingerprint).value("timing", "") == "none")
            for (const auto& [name, value] : point.metrics)
                if (needsClock(m_experiment->info(), name)) // a prediction of it would be refused
                    qFatal("%s of %s came without a clock", name.c_str(), m_experiment->info().id.c_str());
        return point;
    }
    const ExperimentInfo& info() const { return m_experiment->info(); }

private:
    std::unique_ptr<Experiment> m_experiment;
    std::unique_ptr<gpu::Device> m_device;
    gpu::CompilerChoice m_choice;
};

/// What was counted, without what the clock adds: compilers may order instructions differently, never the traffic.
inline std::map<std::string, double> counted(const Point& point)
{
    auto metrics = point.metrics;
    for (const MetricSpec& spec : simulatedMetrics())
        metrics.erase(spec.name);
    for (const char* timed : {"time", "useful_bandwidth", "moved_bandwidth", "load_bandwidth", "load_rate"})
        metrics.erase(timed);
    return metrics;
}

/// The ways that this machine has.
inline std::vector<std::pair<std::string, gpu::CompilerChoice>> waysHere()
{
    std::vector<std::pair<std::string, gpu::CompilerChoice>> ways;
    for (const auto& info : gpu::listCompilers())
        if (info.available)
            ways.emplace_back(info.id, *gpu::compilerFromText(info.id));
    return ways;
}

} // namespace ridge::labs::test
