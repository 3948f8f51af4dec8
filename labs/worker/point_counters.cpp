// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/point_counters.h"

#include "labs/harness/ladder.h"
#include "labs/kernel/hardware_counters.h"

namespace ridge::labs {
namespace {

constexpr double kDefaultSeconds = 120; ///< of a request without a limit, as the worker has it
constexpr double kShare = 0.5;
constexpr std::uint32_t kWarp = 32;

using Counts = std::map<std::string, HardwareCounter>;

/// No value where one of the parts was not counted.
std::optional<double> sumOf(const Counts& counts, std::initializer_list<const char*> names)
{
    double sum = 0;
    for (const char* name : names) {
        const auto found = counts.find(name);
        if (found == counts.end())
            return std::nullopt;
        sum += static_cast<double>(found->second.value);
    }
    return sum;
}

std::optional<double> percent(const Counts& counts, const char* part, std::initializer_list<const char*> whole,
                              double scale = 1)
{
    const auto above = sumOf(counts, {part}), below = sumOf(counts, whole);
    if (!above || !below || !(*below * scale > 0))
        return std::nullopt;
    return 100 * *above / (*below * scale);
}

} // namespace

PointCounters::PointCounters(const ExperimentInfo& info, const RunRequest& request, const gpu::Device* device,
                             const EventSink& sink, const gpu::StopRequested& stop)
    : m_info(info), m_request(request), m_sink(sink), m_stop(stop),
      m_wanted(request.counters && device != nullptr && device->info().provenance == Provenance::Measured),
      m_warpSlots(m_wanted ? residentThreads(device->info()) / kWarp : 0)
{
}

Result<void> PointCounters::count(SampleEvent& sample)
{
    if (!m_wanted)
        return {};
    if (m_never) {
        sample.countersMissing = m_never;
        return {};
    }
    const double points = static_cast<double>(m_request.points.size());
    m_sink(ProgressEvent{(static_cast<double>(sample.index) + 0.9) / points, "counting with Nsight Compute"});
    RunRequest once = m_request;
    once.points = {sample.params};
    once.counters = once.trace = once.keepGoing = false;
    once.countOnly = true;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - m_begin;
    const double limit = m_request.limits.seconds > 0 ? m_request.limits.seconds : kDefaultSeconds;
    const double seconds = kShare * std::max(0.0, limit - spent.count());
    once.limits.seconds = 2 * seconds; // it ends even where a profiler started it out of reach
    const auto counted = countOnHardware({toJson(once), "", seconds, m_stop});
    if (!counted && counted.error().code == "cancelled")
        return counted.error();
    if (!counted) {
        sample.countersMissing = counted.error();
        if (counted.error().code == "counters-absent" || counted.error().code == "counters-forbidden")
            m_never = counted.error();
        return {};
    }
    sample.countersBy = counted->by;
    const Counts& counts = counted->counters;
    for (const auto& [name, counter] : counts)
        sample.metrics[name] = {static_cast<double>(counter.value), counter.unit, Provenance::Measured};
    // What reportSimulated() gives, from the same counts.
    const std::pair<const char*, std::optional<double>> derived[] = {
        {"inst_issued", sumOf(counts, {"inst_issued"})},
        {"achieved_occupancy", percent(counts, "warp_cycles", {"sm_active_cycles"}, m_warpSlots)},
        {"l1_hit_rate", percent(counts, "l1_sector_hits", {"l1_sector_hits", "l1_sector_misses"})},
        {"l2_hit_rate", percent(counts, "l2_sector_hits", {"l2_sector_hits", "l2_sector_misses"})},
        {"dram_bytes", sumOf(counts, {"dram_read_bytes", "dram_write_bytes"})}};
    for (const auto& [name, value] : derived)
        if (const MetricSpec* spec = m_info.metric(name); spec != nullptr && value)
            sample.metrics[name] = {*value, spec->unit, Provenance::Measured};
    return {};
}

} // namespace ridge::labs
