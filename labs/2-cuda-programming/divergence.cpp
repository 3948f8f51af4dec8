// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

#include <bit>
#include <fmt/core.h>
#include <set>

namespace ridge::labs {
namespace {

constexpr const char* kKernel = "divergence/01_paths.cu";
constexpr std::uint32_t kOnePath = 0x7fffffff; // a group that holds every thread
constexpr std::uint32_t kFactor = 1664525;

struct Setting {
    std::uint32_t group = 1, paths = 2, work = 64;
    bool heavy = true;
    std::uint32_t threads = 0, blockThreads = 0;

    std::uint32_t pathOf(std::uint64_t thread) const { return static_cast<std::uint32_t>(thread / group % paths); }
    std::string kernel() const
    {
        return heavy ? fmt::format("heavy_{}", std::max(2u, std::bit_ceil(paths))) : std::string("short_2");
    }
};

Result<Setting> settingOf(const ParamSet& params, const gpu::DeviceInfo& info)
{
    const auto value = [&](const char* name) { return static_cast<std::uint32_t>(integer(params, name)); };
    const std::uint32_t warps = value("warps");
    Setting setting{value("group"), value("paths"), value("work"), choice(params, "arms") == "heavy"};
    setting.threads = std::max(1u, info.smCount) * warps * 32;
    setting.blockThreads = std::min(warps, 8u) * 32;
    if (!setting.heavy && setting.paths > 2)
        return Error{"bad-value", fmt::format("short arms have two paths, not {}", setting.paths), "divergence: paths",
                     "set paths=2 or arms=heavy"};
    return setting;
}

/// What thread `thread` computes.
std::uint32_t expected(const Setting& setting, std::uint64_t thread, std::uint32_t x)
{
    const std::uint32_t path = setting.pathOf(thread);
    for (std::uint32_t i = 0; i < setting.work; ++i)
        if (setting.heavy)
            x = x * kFactor + 2 * path + 1;
        else
            x = path == 0 ? x + kFactor : x ^ kFactor;
    return x;
}

/// Distinct paths within a warp, the mean and the most of all warps.
struct WarpPaths {
    double mean = 0, most = 0;
};

WarpPaths warpPaths(const Setting& setting)
{
    WarpPaths paths;
    const std::uint32_t warps = setting.threads / 32;
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
        std::set<std::uint32_t> taken;
        for (std::uint32_t lane = 0; lane < 32; ++lane)
            taken.insert(setting.pathOf(32 * warp + lane));
        paths.mean += static_cast<double>(taken.size()) / warps;
        paths.most = std::max(paths.most, static_cast<double>(taken.size()));
    }
    return paths;
}

gpu::Launch launchOf(const Setting& setting, std::uint32_t group, gpu::DevicePtr in, gpu::DevicePtr out)
{
    return {setting.kernel(),
            {setting.threads / setting.blockThreads, 1, 1},
            {setting.blockThreads, 1, 1},
            0,
            {in, out, group, setting.paths, kFactor, setting.work}};
}

// ---- description ----------------------------------------------------------------------------------------------------

std::vector<ParamSpec> parameters()
{
    auto group = integerParam("group", "Threads that agree", "threads", 1, 64, 1, ParamScale::Linear,
                              "Neighbouring threads that take the same path; from 32 on whole warps agree.");
    auto paths = integerParam("paths", "Paths", "paths", 1, 32, 2, ParamScale::Linear,
                              "Distinct paths that the groups take in turn; short arms have two at most.");
    auto arms = choiceParam("arms", "Arms", {"heavy", "short"}, "heavy",
                            "What stands behind the branch: a loop of multiply-adds, or one predicated instruction, "
                            "repeated.");
    auto work = integerParam("work", "Work of a path", "instructions", 8, 4096, 1024, ParamScale::Log2,
                             "Instructions of the arm that a thread takes, a multiple of 8; more of them hide the rest "
                             "of the kernel.");
    work.defaultFor = {{"gpu", std::int64_t{4096}}};
    auto warps = integerParam("warps", "Warps per SM", "warps", 4, 32, 4, ParamScale::List, "Warps on each SM.");
    warps.choices = {std::int64_t{4}, std::int64_t{8}, std::int64_t{16}, std::int64_t{32}};
    warps.defaultFor = {{"gpu", std::int64_t{32}}};
    return {group, paths, arms, work, warps};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> list{
        {"time_ratio", "Time over uniform", "1",
         "Time over that of the same kernel where all threads take one path; 1 means that divergence costs nothing."},
        {"uniform_time", "Time without divergence", "s", "The same kernel, all threads on one path."},
        {"paths_per_warp", "Paths per warp", "paths",
         "Distinct paths that the threads of a warp take, mean of all warps: what the addresses of the branch say."},
        {"active_lanes", "Active lanes", "lanes",
         "Lanes that take part in an instruction, on average; 32 is all of them. Only where the target counts."},
        {"divergent_branches", "Divergent branches", "branches",
         "Branches that sent lanes of a warp to different places. Only where the target counts."},
        {"instructions", "Instructions", "instructions",
         "Warp instructions in PTX, each path of a warp apart. Only where the target counts."}};
    for (MetricSpec& spec : timeMetrics("one launch"))
        list.push_back(std::move(spec));
    for (MetricSpec& spec : simulatedMetrics())
        list.push_back(std::move(spec));
    return list;
}

class Divergence : public GpuExperiment {
public:
    Divergence()
    {
        m_info.id = "divergence";
        m_info.version = 1;
        m_info.title = "Warp divergence";
        m_info.module = 2;
        m_info.summary = "Sends groups of threads down different paths and finds what a warp pays for it.";
        m_info.parameters = parameters();
        m_info.targets = {"gpu", "sim"};
        m_info.metrics = metrics();
        const auto chart = [](const char* id, const char* title, const char* x, const char* y) {
            return ChartSpec{id, title, x, y, ParamScale::Linear, ParamScale::Linear};
        };
        m_info.charts = {chart("time_over_group", "Time over threads that agree", "group", "time"),
                         chart("ratio_over_group", "Time over uniform, over threads that agree", "group", "time_ratio"),
                         chart("ratio_over_paths", "Time over uniform, over paths", "paths", "time_ratio"),
                         chart("lanes_over_paths", "Active lanes over paths", "paths", "active_lanes")};
        m_info.limits = {{"active_lanes", "paths one after the other", "lower", "32 lanes ÷ paths per warp",
                          "NVIDIA CUDA C++ Programming Guide, SIMT architecture: a warp executes each path taken and "
                          "disables the threads that are not on it; heavy arms only"}};
        m_info.kernels = {kKernel};
        m_info.scene = "divergence";
        for (const std::string& scene : launchScenes())
            if (scene != m_info.scene)
                m_info.scenes.push_back(scene);
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

void reportCounts(GpuContext& context, const Setting& setting, const Execution& done, const WarpPaths& paths)
{
    const auto by = context.device().info().provenance;
    context.metric("paths_per_warp", paths.mean, Provenance::Modelled);
    const auto counters = done.counters();
    if (!counters || counters->instExecuted == 0)
        return;
    context.metric("active_lanes",
                   static_cast<double>(counters->threadInstExecuted) / static_cast<double>(counters->instExecuted), by);
    context.metric("divergent_branches", static_cast<double>(counters->divergentBranches), by);
    context.metric("instructions", static_cast<double>(counters->instExecuted), by);
    if (setting.heavy)
        context.limit("active_lanes", 32 / paths.mean);
}

Result<void> Divergence::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    gpu::Device& device = context.device();
    auto chosen = settingOf(params, device.info());
    if (!chosen)
        return chosen.error();
    Setting setting = *chosen;
    if (setting.work % 8 != 0)
        return Error{"bad-value", fmt::format("{} instructions are no multiple of 8", setting.work), "divergence: work",
                     fmt::format("set work={}", (setting.work + 7) / 8 * 8)};
    const auto program = context.kernel(kKernel);
    if (!program)
        return program.error();
    Buffers buffers(device);
    const std::uint64_t bytes = std::uint64_t{setting.threads} * 4;
    const auto in = buffers.allocate(bytes, "in");
    const auto out = in ? buffers.allocate(bytes, "out") : in;
    const auto uniformOut = out ? buffers.allocate(bytes, "uniform out") : out;
    if (!uniformOut)
        return uniformOut.error();
    const std::uint32_t salt = context.rng().nextU32();
    if (auto filled = fill<std::uint32_t>(context, *in, setting.threads, [&](auto i) { return mixed(i, salt); });
        !filled)
        return filled;
    for (const auto to : {*out, *uniformOut})
        if (auto poisoned = poison(context, to, bytes); !poisoned)
            return poisoned;

    const gpu::Sequence sequence{{*program, launchOf(setting, setting.group, *in, *out)}};
    const gpu::Sequence uniform{{*program, launchOf(setting, kOnePath, *in, *uniformOut)}};
    const auto done = executeOnce(context, sequence);
    if (!done)
        return done.error();
    Comparison comparison;
    const auto see = [&](std::uint64_t i, std::uint32_t got) {
        const std::uint32_t wanted = expected(setting, i, mixed(i, salt));
        comparison.see(i, got == wanted, got, wanted);
    };
    if (auto read = readBack<std::uint32_t>(context, *out, setting.threads, see); !read)
        return read;
    comparison.report(context, "bit for bit");
    if (auto guards = buffers.checkGuards(context); !guards)
        return guards;
    context.progress(0.5, "checked against the CPU");

    reportCounts(context, setting, *done, warpPaths(setting));
    reportSimulated(context, done->heaviest());
    const gpu::Arm arms[] = {{setting.kernel(), {sequence}}, {"uniform", {uniform}}};
    const auto measured = measure(context, *done, arms);
    if (!measured)
        return measured.error();
    if (measured->empty())
        return {};
    const Measured &time = measured->at(0), &reference = measured->at(1);
    reportTime(context, time);
    context.metric("uniform_time", reference.seconds, reference.provenance);
    context.metric("time_ratio", time.seconds / reference.seconds, time.provenance);
    return {};
}

} // namespace

std::unique_ptr<GpuExperiment> makeDivergence()
{
    return std::make_unique<Divergence>();
}

} // namespace ridge::labs
