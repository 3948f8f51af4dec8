// SPDX-License-Identifier: GPL-3.0-or-later
// Bandwidth over working set: what each level of memory gives of data that it already holds.
#include "labs/1-gpu-architecture/level_bandwidth_info.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/host_time.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

#include <algorithm>
#include <bit>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr std::uint32_t kThreads = 1024; // of a block; one block an SM
constexpr std::uint64_t kVectorBytes = 16;
constexpr std::uint64_t kRoundBytes = kThreads * kVectorBytes;
constexpr std::uint64_t kAhead = 8; // rounds come in eights: loads of a thread that wait together

struct Setting {
    bool perSm = false;
    std::uint64_t blocks = 1;
    std::uint64_t vectors = 0; ///< of a ring
    std::uint64_t rounds = 0;  ///< timed, of each block

    std::uint64_t rings() const { return perSm ? blocks : 1; }
    std::uint64_t allVectors() const { return rings() * vectors; }
    std::uint64_t bytes() const { return allVectors() * kVectorBytes; }
    /// Rounds of eight that read different vectors.
    std::uint64_t span() const { return std::clamp<std::uint64_t>(vectors / kThreads, 1, kAhead); }
    std::uint64_t steps() const { return std::max<std::uint64_t>(1, vectors / (kThreads * kAhead)); }
    /// Where a block begins in the common ring.
    std::uint64_t begin(std::uint64_t block) const
    {
        return perSm || span() < kAhead ? 0 : block * steps() / blocks * kAhead * kThreads;
    }
    /// Each block brings in its ring, or its share of the common one.
    std::uint64_t warm() const { return kAhead * (perSm ? steps() : steps() / blocks + 1); }
    double bytesPerBlock() const { return static_cast<double>(rounds * kRoundBytes); }
    std::string kernel() const { return fmt::format("read_{}_{}", perSm ? "ca" : "cg", span()); }
};

/// Rings are 8, 16, 32, 64 KiB or whole steps of 128 KiB.
std::uint64_t ringVectors(std::uint64_t bytes)
{
    const std::uint64_t vectors = bytes / kVectorBytes, step = kThreads * kAhead;
    return vectors >= step ? vectors / step * step : std::bit_floor(vectors);
}

Setting settingOf(const ParamSet& params, const gpu::DeviceInfo& info)
{
    Setting setting;
    setting.perSm = choice(params, "scope") == kLevelScopes[0];
    setting.blocks = std::max(1u, info.smCount);
    setting.vectors = ringVectors(integer(params, "working_set"));
    setting.rounds = integer(params, "read_bytes") / (kRoundBytes * kAhead) * kAhead;
    return setting;
}

std::uint32_t wordOf(std::uint64_t vector, std::uint32_t salt)
{
    return mixed(vector, salt);
}

/// Running sums of the vectors, all four words of which are alike: sums[i] is that of the first i.
std::vector<std::uint32_t> runningSums(const Setting& setting, std::uint32_t salt)
{
    std::vector<std::uint32_t> sums(setting.allVectors() + 1);
    for (std::uint64_t i = 0; i < setting.allVectors(); ++i)
        sums[i + 1] = sums[i] + 4 * wordOf(i, salt);
    return sums;
}

/// What the warps of a block must have added up, modulo 2^32.
std::uint32_t expectedSum(const Setting& setting, const std::vector<std::uint32_t>& sums, std::uint64_t block)
{
    const std::uint64_t base = setting.perSm ? block * setting.vectors : 0;
    const std::uint64_t begin = setting.begin(block);
    const std::uint64_t read = (setting.warm() + setting.rounds) * kThreads;
    const auto between = [&](std::uint64_t from, std::uint64_t to) { return sums[base + to] - sums[base + from]; };
    auto sum = static_cast<std::uint32_t>(read / setting.vectors) * between(0, setting.vectors);
    const std::uint64_t end = begin + read % setting.vectors;
    sum += between(begin, std::min(end, setting.vectors));
    if (end > setting.vectors)
        sum += between(0, end - setting.vectors);
    return sum;
}

Result<void> checkSums(GpuContext& context, const Setting& setting, gpu::DevicePtr out, std::uint32_t salt)
{
    const auto sums = runningSums(setting, salt);
    std::vector<std::uint32_t> got(setting.blocks);
    auto read = readBack<std::uint32_t>(context, out, setting.blocks * kThreads / 32,
                                        [&](std::uint64_t i, std::uint32_t part) { got[i / (kThreads / 32)] += part; });
    if (!read)
        return read;
    Comparison comparison;
    for (std::uint64_t block = 0; block < setting.blocks; ++block) {
        const std::uint32_t wanted = expectedSum(setting, sums, block);
        comparison.see(block, got[block] == wanted, got[block], wanted);
    }
    comparison.report(context, "bit for bit, a sum of all words read for each block");
    return {};
}

void report(GpuContext& context, const Setting& setting, const gpu::DeviceInfo& info, const Measured& time,
            double cycles)
{
    const double perClock = setting.bytesPerBlock() / cycles;
    context.metric("bytes_per_clock", perClock, time.provenance);
    context.limit("bytes_per_clock", levelL1Width(info.computeMajor, info.computeMinor));
    if (!(time.clockHz > 0))
        return;
    const bool assumed = time.timing && !time.timing->smClockHz; // the boost clock of the table
    context.metric("bandwidth", perClock * static_cast<double>(setting.blocks) * time.clockHz / 1e9,
                   assumed ? Provenance::Modelled : time.provenance);
    // Of a smaller set caches hold a part, and the pins bound only the rest.
    if (info.l2Bytes > 0 && setting.bytes() >= 4 * info.l2Bytes && info.memoryBytesPerSecond > 0) {
        const double held = static_cast<double>(info.l2Bytes) / static_cast<double>(setting.bytes());
        context.limit("bandwidth", info.memoryBytesPerSecond / 1e9 / (1 - held));
    }
}

class LevelBandwidth : public GpuExperiment {
public:
    LevelBandwidth() { m_info = levelBandwidthInfo(); }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;
    Result<void> runOnCpu(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> LevelBandwidth::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    gpu::Device& device = context.device();
    const gpu::DeviceInfo& info = device.info();
    const Setting setting = settingOf(params, info);
    const auto program = context.kernel(kLevelKernel);
    if (!program)
        return program.error();
    Buffers buffers(device);
    const auto ring = buffers.allocate(setting.bytes(), "ring");
    if (!ring)
        return ring.error();
    const std::uint64_t sumBytes = setting.blocks * kThreads / 32 * 4, cycleBytes = setting.blocks * 8;
    const auto sums = buffers.allocate(sumBytes, "sums");
    if (!sums)
        return sums.error();
    const auto clocks = buffers.allocate(cycleBytes, "cycles");
    if (!clocks)
        return clocks.error();
    const std::uint32_t salt = context.rng().nextU32();
    auto filled = fill<std::uint32_t>(context, *ring, setting.allVectors() * 4,
                                      [&](std::uint64_t word) { return wordOf(word / 4, salt); });
    if (!filled)
        return filled;
    for (const auto& [at, bytes] : {std::pair(*sums, sumBytes), std::pair(*clocks, cycleBytes)})
        if (auto poisoned = poison(context, at, bytes); !poisoned)
            return poisoned;
    gpu::Launch launch;
    launch.kernel = setting.kernel();
    launch.grid = {static_cast<std::uint32_t>(setting.blocks), 1, 1};
    launch.block = {kThreads, 1, 1};
    launch.args = {*ring,
                   setting.perSm ? setting.vectors : std::uint64_t{0},
                   static_cast<std::uint32_t>(setting.vectors),
                   static_cast<std::uint32_t>(setting.warm()),
                   static_cast<std::uint32_t>(setting.rounds),
                   *sums,
                   *clocks};
    context.progress(0.3, "running " + launch.kernel);
    const gpu::Sequence sequence{{*program, launch}};
    const auto done = executeOnce(context, sequence);
    if (!done)
        return done.error();
    if (auto checked = checkSums(context, setting, *sums, salt); !checked)
        return checked;
    if (auto checked = buffers.checkGuards(context); !checked)
        return checked;
    const gpu::Arm arm{launch.kernel, {sequence}};
    const auto measured = measure(context, *done, std::span(&arm, 1));
    if (!measured)
        return measured.error();
    context.metric("bytes_read", setting.bytesPerBlock() * static_cast<double>(setting.blocks), Provenance::Modelled);
    reportSimulated(context, done->heaviest());
    if (measured->empty())
        return {}; // without time a clock reading says nothing
    std::vector<double> cycles;
    auto read = readBack<std::int64_t>(context, *clocks, setting.blocks,
                                       [&](auto, std::int64_t clock) { cycles.push_back(static_cast<double>(clock)); });
    if (!read)
        return read;
    reportTime(context, measured->front());
    // The last block to end: a chip is as fast as its slowest SM.
    const double slowest = *std::max_element(cycles.begin(), cycles.end());
    if (!(slowest > 0))
        return Error{"bad-timing", "the clock of the SMs did not run", info.target, "run again"};
    report(context, setting, info, measured->front(), slowest);
    return {};
}

Result<void> LevelBandwidth::runOnCpu(const ParamSet& params, RunContext& context) const
{
    const bool perCore = choice(params, "scope") == kLevelScopes[0];
    const auto processors = host::machine().processors;
    host::Team team(processors);
    const std::uint64_t each = integer(params, "working_set") / (perCore ? 1 : team.size());
    const auto time = host::timeReads(team, each, samplingOf(context));
    if (!time)
        return time.error();
    context.check("matches_reference", time->sumsRight,
                  fmt::format("{} threads add up the words that were written", team.size()));
    context.metric("bytes_read", static_cast<double>(time->bytes), Provenance::Modelled);
    reportHostTime(context, time->timing);
    context.metric("bandwidth", static_cast<double>(time->bytes) / time->timing.medianSeconds / 1e9,
                   Provenance::Measured);
    return {};
}

} // namespace

std::unique_ptr<GpuExperiment> makeLevelBandwidth()
{
    return std::make_unique<LevelBandwidth>();
}

} // namespace ridge::labs
