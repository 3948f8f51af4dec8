// SPDX-License-Identifier: GPL-3.0-or-later
#include "silicon/occupancy.h"

#include "labs/1-gpu-architecture/occupancy_info.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/chip_latency.h"
#include "labs/harness/declare.h"
#include "labs/harness/pipe_rates.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/warp_spans.h"
#include "labs/harness/work.h"
#include "silicon/chip_catalogue.h"

#include <bit>
#include <cmath>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr std::uint64_t kRoundInstructions = 120; // of fma_<ilp>

struct Setting {
    bool loads = true;
    std::uint32_t warps = 1; ///< wanted
    std::uint32_t ilp = 1, loadBytes = 4;
    std::uint32_t blockThreads = 0, sharedBytes = 0;
    std::uint64_t bytes = 0; ///< wanted
    std::uint32_t rounds = 1;

    std::string kernel() const
    {
        return loads ? fmt::format("load_{}_{}", loadBytes, ilp) : fmt::format("fma_{}", ilp);
    }
    std::uint32_t warpBytes() const { return ilp * 32 * loadBytes; }
};

Result<Setting> settingOf(const ParamSet& params, const silicon::ChipLimits& limits)
{
    const auto value = [&](const char* name) { return static_cast<std::uint32_t>(integer(params, name)); };
    Setting setting;
    setting.loads = choice(params, "work") == "load";
    setting.warps = value("warps");
    setting.ilp = value("ilp");
    setting.loadBytes = value("load_bytes");
    setting.blockThreads = value("block_threads");
    setting.sharedBytes = value("shared_bytes");
    setting.bytes = integer(params, "mebibytes") << 20;
    setting.rounds = value("rounds");
    if (const std::uint32_t wanted = value("in_flight") * 1024; setting.loads && wanted > 0) {
        const std::uint32_t each = setting.warpBytes();
        const std::uint32_t most = limits.maxWarpsPerSm * each / 1024, step = std::max(1u, each / 1024);
        if (wanted % each != 0 || wanted / each > limits.maxWarpsPerSm)
            return Error{"bad-value",
                         fmt::format("{} KiB in flight are not whole warps of {} B on an SM of {} warps", wanted / 1024,
                                     each, limits.maxWarpsPerSm),
                         "occupancy: in_flight", fmt::format("take multiples of {} up to {}", step, most)};
        setting.warps = wanted / each;
    }
    setting.warps = std::min(setting.warps, limits.maxWarpsPerSm);
    return setting;
}

/// Threads of a block and the shared memory with which no more than the wanted warps fit.
struct Shape {
    std::uint32_t threads = 32, sharedBytes = 0;
};

Shape shapeOf(const Setting& setting, const silicon::ChipLimits& limits)
{
    Shape shape;
    std::uint32_t warps = std::max(1u, setting.blockThreads / 32);
    if (setting.blockThreads == 0)
        while (setting.warps % warps != 0 || setting.warps / warps > limits.maxBlocksPerSm)
            ++warps;
    shape.threads = 32 * warps;
    const std::uint32_t blocks = std::max(1u, setting.warps / warps);
    if (blocks < std::min(limits.maxBlocksPerSm, limits.maxWarpsPerSm / warps)) {
        // The least that `blocks` + 1 of cannot have, whole granules.
        const std::uint32_t granule = limits.sharedGranularityBytes;
        const std::uint32_t given = (limits.sharedBytesPerSm / (blocks + 1) / granule + 1) * granule;
        shape.sharedBytes = given - limits.sharedReservedPerBlockBytes;
    }
    shape.sharedBytes = std::max(shape.sharedBytes, setting.sharedBytes);
    return shape;
}

// ---- correctness ----------------------------------------------------------------------------------------------------

float chainStart(std::uint64_t index)
{
    return (static_cast<float>(index * 37 % 256) - 128) / 128;
}

/// What each lane of a warp of fma_<ilp> ends with.
std::vector<std::uint32_t> chainEnds(const Setting& setting)
{
    std::vector<std::uint32_t> ends(32);
    for (std::uint64_t lane = 0; lane < 32; ++lane)
        for (std::uint64_t k = 0; k < setting.ilp; ++k) {
            float x = chainStart(32 * k + lane);
            for (std::uint64_t i = 0; i < setting.rounds * kRoundInstructions / setting.ilp; ++i)
                x = std::fma(x, x, -1.9f);
            ends[lane] = ends[lane] * 31 + std::bit_cast<std::uint32_t>(x);
        }
    return ends;
}

/// What thread `thread` of load_<bytes>_<ilp> ends with; word w of the input holds mixed(w).
std::uint32_t loadSum(const Setting& setting, std::uint64_t threads, std::uint64_t thread, std::uint32_t salt)
{
    const std::uint64_t words = setting.loadBytes / 4;
    std::uint32_t sum = 0;
    for (std::uint64_t round = 0; round < setting.rounds; ++round)
        for (std::uint64_t k = setting.ilp; k-- > 0;) {
            const std::uint64_t first = ((round * setting.ilp + k) * threads + thread) * words;
            std::uint32_t folded = 0;
            for (std::uint32_t part = 0; part < words; ++part)
                folded += (2 * part + 1) * mixed(first + part, salt);
            sum = sum * 3 + folded;
        }
    return sum;
}

Result<void> checkOutput(GpuContext& context, const Setting& setting, std::uint64_t threads, gpu::DevicePtr out,
                         std::uint32_t salt)
{
    Comparison comparison;
    const auto ends = setting.loads ? std::vector<std::uint32_t>() : chainEnds(setting);
    const auto see = [&](std::uint64_t i, std::uint32_t got) {
        const std::uint32_t wanted = setting.loads ? loadSum(setting, threads, i, salt) : ends[i % 32];
        comparison.see(i, got == wanted, got, wanted);
    };
    if (auto read = readBack<std::uint32_t>(context, out, threads, see); !read)
        return read;
    comparison.report(context, "bit for bit");
    return {};
}

// ---- reports --------------------------------------------------------------------------------------------------------

std::string limiterText(const silicon::Occupancy& occupancy)
{
    std::string text;
    for (const silicon::Limiter limiter : occupancy.limiters)
        text += (text.empty() ? "" : ", ") + std::string(silicon::toText(limiter));
    return text;
}

void reportOccupancy(GpuContext& context, const silicon::Occupancy& occupancy, const Shape& shape,
                     std::uint32_t registers)
{
    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    tell("theoretical_occupancy", 100 * occupancy.fraction);
    tell("warps_per_sm", occupancy.warpsPerSm);
    tell("blocks_per_sm", occupancy.blocksPerSm);
    tell("shared_per_block", shape.sharedBytes);
    context.limit("theoretical_occupancy", 100);
    const std::pair<silicon::Limiter, const char*> kNames[] = {{silicon::Limiter::Warps, "blocks_by_warps"},
                                                               {silicon::Limiter::Blocks, "blocks_by_slots"},
                                                               {silicon::Limiter::SharedMemory, "blocks_by_shared"},
                                                               {silicon::Limiter::Registers, "blocks_by_registers"}};
    for (const auto& [limiter, name] : kNames)
        if (const auto allowed = occupancy.blocksAllowed.find(limiter); allowed != occupancy.blocksAllowed.end())
            tell(name, allowed->second);
    if (registers > 0)
        context.metric("registers", registers, context.device().info().provenance);
}

/// A simulator counts blocks by the rules of its chip file, a driver by its own (cuOccupancy…): all must say the same.
void checkResidency(RunContext& context, const silicon::Occupancy& occupancy, const gpu::LaunchReport& report)
{
    const std::string bound = limiterText(occupancy);
    const std::uint32_t there = report.timing ? report.timing->occupancy.blocksPerSm : report.residentBlocksPerSm;
    if (there == 0)
        return;
    context.check(
        "occupancy_rule", there == occupancy.blocksPerSm,
        fmt::format("{} blocks an SM, bound by {}; the target holds {}", occupancy.blocksPerSm, bound, there));
}

void reportRate(GpuContext& context, const Setting& setting, const silicon::Occupancy& occupancy, std::uint64_t threads,
                const Measured& time)
{
    const gpu::DeviceInfo& info = context.device().info();
    const double warps = occupancy.warpsPerSm, sms = info.smCount;
    const auto latency = chipLatency(info);
    if (setting.loads) {
        const double bytes = static_cast<double>(threads) * setting.rounds * setting.ilp * setting.loadBytes;
        const double inFlight = warps * setting.warpBytes();
        context.metric("in_flight_bytes", inFlight, Provenance::Modelled);
        context.metric("bytes", bytes, Provenance::Modelled);
        context.metric("bandwidth", bytes / time.seconds / 1e9, time.provenance);
        context.metric("effective_latency", sms * inFlight * time.seconds / bytes, time.provenance);
        double most = info.memoryBytesPerSecond;
        if (most > 0)
            context.metric("pin_bandwidth", most / 1e9, Provenance::Modelled);
        if (latency && latency->memory > 0) {
            const double slope = sms * latency->clockHz / latency->memory;
            context.metric("little_slope", slope / 1e9, Provenance::Modelled);
            if (most > 0)
                context.metric("little_bytes", most / slope, Provenance::Modelled);
            most = std::min(most > 0 ? most : INFINITY, inFlight * slope);
        }
        if (most > 0)
            context.limit("bandwidth", most / 1e9);
        return;
    }
    const double flop = 2.0 * 32 * static_cast<double>(threads / 32) * setting.rounds * kRoundInstructions;
    context.metric("flop", flop, Provenance::Modelled);
    context.metric("flop_rate", flop / time.seconds / 1e9, time.provenance);
    auto most = peakPerSecond(info, Operation::FmaFp32, time.clockHz);
    if (latency && latency->fma > 0) {
        const double chains = sms * warps * setting.ilp * 64 * time.clockHz / latency->fma;
        most = most ? std::min(*most, chains) : chains;
    }
    if (most && *most > 0)
        context.limit("flop_rate", *most / 1e9);
}

class OccupancyLab : public GpuExperiment {
public:
    OccupancyLab() { m_info = occupancyInfo(); }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

/// Registers of a thread as the target compiled the kernel: told by an empty launch. 0: it does not tell.
Result<std::uint32_t> registersOf(GpuContext& context, const gpu::LoadedProgram& program, gpu::Launch launch)
{
    launch.grid = {1, 1, 1};
    launch.block = {32, 1, 1};
    launch.dynamicSharedBytes = 0;
    launch.args.back() = std::uint32_t{0};
    gpu::LaunchOptions options;
    options.timing = context.device().info().provenance == Provenance::Simulated;
    auto report = context.device().launch(program, launch, options);
    if (!report && report.error().code == "no-timing") {
        options.timing = false;
        report = context.device().launch(program, launch, options);
    }
    if (!report)
        return report.error();
    return report->timing ? report->timing->occupancy.registersPerThread : report->registersPerThread;
}

Result<void> OccupancyLab::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    gpu::Device& device = context.device();
    const gpu::DeviceInfo& info = device.info();
    const auto catalogue = silicon::shippedCatalogue();
    if (!catalogue)
        return catalogue.error();
    const auto limits = catalogue->limits(info.computeMajor, info.computeMinor);
    if (!limits)
        return limits.error();
    auto chosen = settingOf(params, *limits);
    if (!chosen)
        return chosen.error();
    Setting setting = *chosen;
    const Shape shape = shapeOf(setting, *limits);
    const auto program = context.kernel(kOccupancyKernel);
    if (!program)
        return program.error();

    // Room for the largest grid there can be; what is used follows from the registers.
    const std::uint64_t sms = std::max(1u, info.smCount), mostThreads = sms * limits->maxThreadsPerSm;
    Buffers buffers(device);
    const std::uint64_t inBytes = setting.loads ? setting.bytes + mostThreads * setting.ilp * setting.loadBytes : 4096;
    const auto in = buffers.allocate(inBytes, "in");
    const auto out = in ? buffers.allocate(4 * mostThreads, "out") : in;
    const auto spans = out ? buffers.allocate(sizeof(WarpSpan) * mostThreads / 32, "spans") : out;
    if (!spans)
        return spans.error();
    gpu::Launch launch{
        setting.kernel(), {}, {shape.threads, 1, 1}, shape.sharedBytes, {*in, *out, *spans, setting.rounds}};
    const auto registers = registersOf(context, **program, launch);
    if (!registers)
        return registers.error();
    const auto occupancy = silicon::occupancy(*limits, shape.threads, *registers, shape.sharedBytes);
    if (!occupancy)
        return occupancy.error();
    if (occupancy->blocksPerSm == 0)
        return Error{"bad-launch", "no block fits on an SM: " + limiterText(*occupancy), setting.kernel(),
                     "ask for less shared memory or fewer threads"};
    launch.grid = {static_cast<std::uint32_t>(occupancy->blocksPerSm * sms), 1, 1};
    const std::uint64_t threads = std::uint64_t{launch.grid.x} * shape.threads;
    if (setting.loads)
        setting.rounds = static_cast<std::uint32_t>(
            std::max<std::uint64_t>(1, setting.bytes / (threads * setting.ilp * setting.loadBytes)));
    launch.args.back() = setting.rounds;

    const std::uint32_t salt = context.rng().nextU32();
    const std::uint64_t words = setting.loads ? threads * setting.rounds * setting.ilp * setting.loadBytes / 4 : 288;
    const auto filled =
        setting.loads
            ? fill<std::uint32_t>(context, *in, words, [&](std::uint64_t w) { return mixed(w, salt); })
            : fill<float>(context, *in, words, [](std::uint64_t w) { return w < 32 ? -1.9f : chainStart(w - 32); });
    if (!filled)
        return filled;
    for (const auto& [to, bytes] :
         {std::pair{*out, 4 * mostThreads}, std::pair{*spans, sizeof(WarpSpan) * mostThreads / 32}})
        if (auto poisoned = poison(context, to, bytes); !poisoned)
            return poisoned;
    context.progress(0.3, "running " + setting.kernel());

    const gpu::Sequence sequence{{*program, launch}};
    const auto done = executeOnce(context, sequence);
    if (!done)
        return done.error();
    if (auto checked = checkOutput(context, setting, threads, *out, salt); !checked)
        return checked;
    if (auto guards = buffers.checkGuards(context); !guards)
        return guards;
    checkResidency(context, *occupancy, done->heaviest());
    context.progress(0.6, "checked against the CPU");
    const gpu::Arm arm{setting.kernel(), {sequence}};
    const auto measured = measure(context, *done, std::span(&arm, 1));
    if (!measured)
        return measured.error();
    const auto sm = readSpans(context, *spans, threads / 32);
    if (!sm)
        return sm.error();
    reportOccupancy(context, *occupancy, shape, *registers);
    context.metric("active_warps", medianOf(*sm, [](const SmSpan& each) { return each.activeWarps(); }),
                   info.provenance);
    reportSimulated(context, done->heaviest());
    if (measured->empty())
        return {};
    reportTime(context, measured->front());
    reportRate(context, setting, *occupancy, threads, measured->front());
    if (setting.loads && info.provenance == Provenance::Measured && 4 * words < 2 * info.l2Bytes)
        context.validity("resident in L2");
    return {};
}

} // namespace

std::unique_ptr<GpuExperiment> makeOccupancy()
{
    return std::make_unique<OccupancyLab>();
}

} // namespace ridge::labs
