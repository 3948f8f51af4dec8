// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

#include <cmath>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr const char* kKernel = "waves/01_equal_blocks.cu";
constexpr std::uint32_t kFactor = 1664525, kStep = 1013904223; // the generator of Numerical Recipes

struct Setting {
    std::uint32_t blocks = 1, blockThreads = 32, sharedBytes = 0, work = 8;

    std::uint64_t threads() const { return std::uint64_t{blocks} * blockThreads; }
    std::uint32_t expected(std::uint32_t x) const
    {
        for (std::uint32_t i = 0; i < work; ++i)
            x = x * kFactor + kStep;
        return x;
    }
};

std::vector<ParamSpec> parameters()
{
    auto blocks = integerParam("blocks", "Blocks", "blocks", 1, 4096, 264, ParamScale::Linear, "Blocks of the launch.");
    auto threads = integerParam("block_threads", "Threads a block", "threads", 32, 1024, 32, ParamScale::Log2,
                                "All blocks have the same size.");
    auto shared = integerParam("shared_bytes", "Shared memory a block", "bytes", 0, 232448, 32768, ParamScale::Linear,
                               "What the launch asks for and does not use: it decides how many blocks fit on an SM.");
    auto work = integerParam("work", "Work of a thread", "instructions", 8, 65536, 2048, ParamScale::Log2,
                             "Multiply-adds one after the other, a multiple of 8.");
    work.defaultFor = {{"gpu", std::int64_t{16384}}};
    return {blocks, threads, shared, work};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> list{
        {"blocks_per_sm", "Blocks an SM", "blocks", "Blocks of this launch that fit on one SM at the same time."},
        {"waves", "Waves", "1", "Blocks over the places for blocks on all SMs."},
        {"wave_efficiency", "Wave efficiency", "%",
         "Waves over waves rounded up: the share of the places that have a block if all blocks take the same time."}};
    for (MetricSpec& spec : timeMetrics("one launch"))
        list.push_back(std::move(spec));
    for (MetricSpec& spec : simulatedMetrics())
        list.push_back(std::move(spec));
    return list;
}

class Waves : public GpuExperiment {
public:
    Waves()
    {
        m_info.id = "waves";
        m_info.version = 1;
        m_info.title = "Waves of blocks";
        m_info.module = 2;
        m_info.summary = "Launches more and more equal blocks and finds the steps in which the time grows.";
        m_info.parameters = parameters();
        m_info.targets = {"gpu", "sim"};
        m_info.metrics = metrics();
        const auto chart = [](const char* id, const char* title, const char* y) {
            return ChartSpec{id, title, "blocks", y, ParamScale::Linear, ParamScale::Linear};
        };
        m_info.charts = {chart("time_over_blocks", "Time over blocks", "time"),
                         chart("efficiency_over_blocks", "Wave efficiency over blocks", "wave_efficiency")};
        m_info.limits = {{"wave_efficiency", "every place has a block", "upper", "100 %",
                          "a wave cannot hold more blocks than there are places"}};
        m_info.kernels = {kKernel};
        m_info.scenes = launchScenes();
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

void reportWaves(GpuContext& context, const Setting& setting, const gpu::LaunchReport& report)
{
    const std::uint32_t resident = report.timing ? report.timing->occupancy.blocksPerSm : report.residentBlocksPerSm;
    const std::uint32_t sms = context.device().info().smCount;
    if (resident == 0 || sms == 0)
        return;
    const double waves = static_cast<double>(setting.blocks) / (static_cast<double>(resident) * sms);
    context.metric("blocks_per_sm", resident, Provenance::Modelled);
    context.metric("waves", waves, Provenance::Modelled);
    context.metric("wave_efficiency", 100 * waves / std::ceil(waves), Provenance::Modelled);
    context.limit("wave_efficiency", 100);
}

Result<void> Waves::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    const auto value = [&](const char* name) { return static_cast<std::uint32_t>(integer(params, name)); };
    const Setting setting{value("blocks"), value("block_threads"), value("shared_bytes"), value("work")};
    if (setting.work % 8 != 0)
        return Error{"bad-value", fmt::format("{} instructions are no multiple of 8", setting.work), "waves: work",
                     fmt::format("set work={}", (setting.work + 7) / 8 * 8)};
    const auto program = context.kernel(kKernel);
    if (!program)
        return program.error();
    Buffers buffers(context.device());
    const std::uint64_t bytes = setting.threads() * 4;
    const auto in = buffers.allocate(bytes, "in");
    const auto out = in ? buffers.allocate(bytes, "out") : in;
    if (!out)
        return out.error();
    const std::uint32_t salt = context.rng().nextU32();
    if (auto filled = fill<std::uint32_t>(context, *in, setting.threads(), [&](auto i) { return mixed(i, salt); });
        !filled)
        return filled;
    if (auto poisoned = poison(context, *out, bytes); !poisoned)
        return poisoned;
    const gpu::Sequence sequence{{*program,
                                  {"equal_blocks",
                                   {setting.blocks, 1, 1},
                                   {setting.blockThreads, 1, 1},
                                   setting.sharedBytes,
                                   {*in, *out, kFactor, setting.work}}}};
    const auto done = executeOnce(context, sequence);
    if (!done)
        return done.error();
    Comparison comparison;
    const auto see = [&](std::uint64_t i, std::uint32_t got) {
        const std::uint32_t wanted = setting.expected(mixed(i, salt));
        comparison.see(i, got == wanted, got, wanted);
    };
    if (auto read = readBack<std::uint32_t>(context, *out, setting.threads(), see); !read)
        return read;
    comparison.report(context, "bit for bit");
    if (auto guards = buffers.checkGuards(context); !guards)
        return guards;
    context.progress(0.5, "checked against the CPU");
    reportWaves(context, setting, done->heaviest());
    reportSimulated(context, done->heaviest());
    const gpu::Arm arms[] = {{"equal_blocks", {sequence}}};
    const auto measured = measure(context, *done, arms);
    if (!measured)
        return measured.error();
    if (!measured->empty())
        reportTime(context, measured->at(0));
    return {};
}

} // namespace

std::unique_ptr<GpuExperiment> makeWaves()
{
    return std::make_unique<Waves>();
}

} // namespace ridge::labs
