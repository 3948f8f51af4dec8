// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/simulated_time.h"

#include "labs/harness/traced_launch.h"

#include <fmt/core.h>

namespace ridge::labs {

namespace {

/// "long_scoreboard" -> "Stall: long scoreboard".
std::string stallTitle(std::string_view name)
{
    std::string words(name);
    std::replace(words.begin(), words.end(), '_', ' ');
    return "Warp state: " + words;
}

std::string stallMetric(gpu::Stall stall)
{
    return "stall_" + std::string(gpu::toText(stall));
}

} // namespace

std::vector<MetricSpec> simulatedMetrics()
{
    std::vector<MetricSpec> specs{
        {"cycles", "Cycles", "cycles", "SM clock cycles of the kernel, launch overhead excluded; simulated."},
        {"inst_issued", "Machine instructions", "instructions",
         "Warp instructions issued after lowering to machine-like instructions (smsp__inst_executed); simulated, or of "
         "a GPU with --counters."},
        {"achieved_occupancy", "Achieved occupancy", "%",
         "Average active warps of an active SM over its warp slots (sm__warps_active); simulated, or of a GPU with "
         "--counters."},
        {"l1_hit_rate", "L1 hit rate", "%",
         "Sectors found in the first cache over sectors looked up; simulated, or of a GPU with --counters."},
        {"l2_hit_rate", "L2 hit rate", "%",
         "Sectors found in the second cache over sectors looked up; simulated, or of a GPU with --counters."},
        {"dram_bytes", "DRAM traffic", "B",
         "Bytes read from and written to device memory; simulated, or of a GPU with --counters."}};
    for (std::size_t at = 0; at < gpu::kStalls; ++at) {
        const auto stall = static_cast<gpu::Stall>(at);
        specs.push_back({stallMetric(stall), stallTitle(gpu::toText(stall)), "%",
                         "Share of the resident warps' cycles in this state, with Nsight Compute's name; simulated."});
    }
    return specs;
}

std::vector<std::string> launchScenes()
{
    return {"sm_timeline", "memory_hierarchy", "occupancy", "divergence"};
}

Result<gpu::LaunchReport> launchTimed(GpuContext& context, const gpu::LoadedProgram& program, const gpu::Launch& launch,
                                      gpu::LaunchOptions options)
{
    gpu::Device& device = context.device();
    options.timing = device.info().provenance == Provenance::Simulated;
    if (context.wantsTrace())
        watchWarps(options.timingOptions);
    auto report = device.launch(program, launch, options);
    if (!report && report.error().code == "no-timing") {
        context.log(toText(report.error()));
        options.timing = false;
        report = device.launch(program, launch, options);
    }
    if (report && report->timing && context.wantsTrace()) {
        const auto source = gpu::readKernel(program.program().name);
        context.launchTrace(launchTraceOf(device.info(), launch, *report,
                                          source ? std::string_view(source->text) : std::string_view()));
    }
    return report;
}

void reportSimulated(RunContext& context, const gpu::LaunchReport& report)
{
    if (!report.timing)
        return;
    const gpu::TimingReport& timing = *report.timing;
    const gpu::TimingCounters& counters = timing.counters;
    const auto tell = [&](const std::string& name, double value) {
        context.metric(name, value, Provenance::Simulated);
    };
    const auto percent = [&](const std::string& name, std::uint64_t part, std::uint64_t rest) {
        if (part + rest > 0)
            tell(name, 100.0 * static_cast<double>(part) / static_cast<double>(part + rest));
    };
    tell("cycles", static_cast<double>(timing.cycles));
    tell("inst_issued", static_cast<double>(counters.instIssued));
    tell("achieved_occupancy", 100 * timing.occupancy.achieved);
    percent("l1_hit_rate", counters.l1SectorHits, counters.l1SectorMisses);
    percent("l2_hit_rate", counters.l2SectorHits, counters.l2SectorMisses);
    tell("dram_bytes", static_cast<double>(counters.dramReadBytes + counters.dramWriteBytes));
    std::uint64_t warpCycles = 0;
    for (const std::uint64_t cycles : timing.stalls)
        warpCycles += cycles;
    for (std::size_t at = 0; at < gpu::kStalls; ++at)
        percent(stallMetric(static_cast<gpu::Stall>(at)), timing.stalls[at], warpCycles - timing.stalls[at]);
    if (timing.extrapolation.used)
        context.log(fmt::format("cycles are extrapolated from {} of {} blocks, ± {:.1f} % (95 %)",
                                timing.extrapolation.simulatedBlocks, timing.extrapolation.blocks,
                                100 * timing.extrapolation.relativeError));
}

} // namespace ridge::labs
