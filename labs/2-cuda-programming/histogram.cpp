// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/ladder_experiment.h"
#include "labs/harness/simulated_time.h"

#include <algorithm>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr Rung kRungs[] = {
    {"global_atomics", "one atomic in L2 for each key", "histogram/01_global_atomics.cu"},
    {"shared", "bins in shared memory for each block", "histogram/02_shared.cu"},
    {"per_warp", "bins in shared memory for each warp", "histogram/03_per_warp.cu"},
};
constexpr std::size_t kGlobal = 0, kPerWarp = 2;
constexpr std::uint32_t kThreads = 256;
constexpr std::uint64_t kBlocksOnSm = 4;
constexpr std::uint32_t kWindows[] = {0, 8192,
                                      1024}; ///< bins that a block, or a warp, counts at a time: 32 KiB a block

/// Gives each index a key; the distribution function of the skew is kept for all of them.
class Keys {
public:
    Keys(const std::string& skew, std::uint32_t bins, std::uint32_t salt) : m_bins(bins), m_salt(salt)
    {
        m_one = skew == "one_value";
        if (skew != "zipf")
            return;
        double sum = 0;
        for (std::uint32_t k = 1; k <= bins; ++k)
            m_below.push_back(sum += 1.0 / k);
        for (double& below : m_below)
            below /= sum;
    }
    std::uint32_t operator()(std::uint64_t i) const
    {
        if (m_one)
            return m_bins / 2;
        const std::uint32_t random = mixed(i, m_salt);
        if (m_below.empty())
            return static_cast<std::uint32_t>(std::uint64_t{random} * m_bins >> 32);
        const auto at = std::ranges::upper_bound(m_below, static_cast<double>(random) * 0x1p-32);
        return std::min(m_bins - 1, static_cast<std::uint32_t>(at - m_below.begin()));
    }

private:
    std::uint32_t m_bins, m_salt;
    bool m_one = false;
    std::vector<double> m_below; ///< of zipf: chance of a key up to this one
};

struct Setting {
    std::size_t rung = 0;
    std::uint64_t n = 0;
    std::uint32_t bins = 0;
    std::uint32_t smCount = 1;

    /// Every key is read once: the owner of the formula. The bins stay in the caches.
    UsefulBytes bytes() const { return {static_cast<double>(n) * 4, 0}; }
    std::uint32_t window() const { return std::min(bins, kWindows[rung]); }
    std::uint32_t windows() const { return rung == kGlobal ? 1 : (bins + window() - 1) / window(); }
};

// ---- work -----------------------------------------------------------------------------------------------------------

struct Set {
    gpu::DevicePtr keys, bins;
};

Result<Set> makeSet(GpuContext& context, const Setting& setting, const Keys& keyOf, Buffers& buffers)
{
    const auto keys = buffers.allocate(setting.n * 4, "keys");
    if (!keys)
        return keys.error();
    const auto bins = buffers.allocate(std::uint64_t{setting.bins} * 4, "bins");
    if (!bins)
        return bins.error();
    if (auto filled = fill<std::uint32_t>(context, *keys, setting.n, keyOf); !filled)
        return filled.error();
    if (auto poisoned = poison(context, *bins, std::uint64_t{setting.bins} * 4); !poisoned)
        return poisoned.error();
    return Set{*keys, *bins};
}

gpu::Sequence sequenceOf(const Setting& setting, const gpu::LoadedProgram* program, const Set& set)
{
    const std::uint64_t blocks =
        std::clamp<std::uint64_t>(ceilDiv(setting.n, 4 * kThreads), 1, setting.smCount * kBlocksOnSm);
    auto clear = step(program, "histogram_clear", ceilDiv(setting.bins, kThreads), kThreads, {set.bins, setting.bins});
    auto count = step(program, fmt::format("histogram_{}", kRungs[setting.rung].name), blocks, kThreads,
                      {set.keys, set.bins, setting.n});
    if (setting.rung != kGlobal) {
        count.launch.args.insert(count.launch.args.end(), {setting.bins, setting.window()});
        count.launch.grid.y = setting.windows();
        count.launch.dynamicSharedBytes = setting.window() * 4 * (setting.rung == kPerWarp ? 8 : 1);
    }
    return {clear, count};
}

/// What the keys say by themselves.
struct Census {
    std::vector<std::uint32_t> counts;
    double contention = 0; ///< lanes of a warp that meet in its most wanted bin, on average
};

Result<Census> censusOf(RunContext& context, const Setting& setting, const Keys& keyOf)
{
    Census census;
    census.counts.resize(setting.bins);
    std::vector<std::uint8_t> lanes(setting.bins);
    std::uint64_t warps = 0, met = 0;
    std::array<std::uint32_t, 128> keys{};
    for (std::uint64_t first = 0; first < setting.n; first += keys.size()) {
        if (first % (1u << 20) == 0 && context.cancelled())
            return Error{"cancelled", "the run was cancelled", "counting on the CPU", ""};
        const std::uint64_t here = std::min<std::uint64_t>(keys.size(), setting.n - first);
        for (std::uint64_t k = 0; k < here; ++k)
            ++census.counts[keys[k] = keyOf(first + k)];
        // A lane loads four neighbours, then the warp counts the first of each, the second …
        for (std::uint64_t part = 0; here == keys.size() && part < 4; ++part, ++warps) {
            std::uint8_t most = 0;
            for (std::uint64_t k = part; k < here; k += 4)
                most = std::max(most, ++lanes[keys[k]]);
            for (std::uint64_t k = part; k < here; k += 4)
                lanes[keys[k]] = 0;
            met += most;
        }
    }
    census.contention = static_cast<double>(met) / static_cast<double>(warps);
    return census;
}

Result<void> checkOutput(GpuContext& context, const Setting& setting, const Census& census, gpu::DevicePtr bins)
{
    Comparison comparison;
    const auto read = readBack<std::uint32_t>(context, bins, setting.bins, [&](std::uint64_t i, std::uint32_t got) {
        comparison.see(i, got == census.counts[i], got, census.counts[i]);
    });
    if (!read)
        return read;
    comparison.report(context, "exactly");
    return {};
}

// ---- description ----------------------------------------------------------------------------------------------------

std::vector<ParamSpec> parameters()
{
    auto elements = integerParam("elements", "Keys", "elements", 1024, 1 << 28, 1 << 18, ParamScale::Log2,
                                 "How many 4-byte keys are counted.");
    elements.defaultFor = {{"gpu", std::int64_t{1 << 27}}};
    return {rungParam(kRungs, "shared"), elements,
            integerParam("bins", "Bins", "bins", 16, 65536, 256, ParamScale::Log2,
                         "How many different keys there can be; need not be a power of two."),
            choiceParam("skew", "Skew", {"uniform", "zipf", "one_value"}, "uniform",
                        "uniform: all keys alike; zipf: key k in proportion to 1 ÷ (k + 1); one_value: a single key.")};
}

std::vector<MetricSpec> metrics()
{
    const MetricSpec own[] = {
        {"update_rate", "Update rate", "1/s", "Keys counted in a second."},
        {"contention", "Contention in a warp", "lanes",
         "Lanes of a warp that want its most wanted bin at the same time, on average over the warps; 1 is free of it, "
         "32 "
         "the worst."},
        {"hottest_bin", "Share of the hottest bin", "%", "Keys that fall into the most frequent bin."},
        {"reads_per_key", "Times that a key is read", "1",
         "Windows of bins that fit into shared memory; each of them takes all keys once."}};
    return ladderMetrics(own, "Bytes of the keys, read once,", "clearing and counting");
}

class Histogram : public LadderExperiment {
public:
    Histogram()
    {
        m_info.id = "histogram";
        m_info.version = 1;
        m_info.title = "Histogram";
        m_info.module = 2;
        m_info.summary = "Counts keys with atomics in L2, in shared memory for each block, and for each warp.";
        m_info.parameters = parameters();
        m_info.targets = {"gpu", "sim"};
        m_info.metrics = metrics();
        m_info.charts = {
            {"rate_over_bins", "Update rate over bins", "bins", "update_rate", ParamScale::Log2, ParamScale::Log2},
            {"contention_over_bins", "Contention over bins", "bins", "contention", ParamScale::Log2,
             ParamScale::Linear},
            {"bandwidth_over_elements", "Bandwidth over keys", "elements", "bandwidth", ParamScale::Log2,
             ParamScale::Linear},
            {"bandwidth_by_rung", "Bandwidth by rung", "rung", "bandwidth", ParamScale::List, ParamScale::Linear,
             "ladder"}};
        m_info.limits = bandwidthLimits("keys × 4 B");
        m_info.limits.push_back({"contention", "no two lanes in one bin", "lower", "1", "a bin for each lane"});
        m_info.kernels = filesOf(kRungs);
        m_info.scenes = launchScenes();
    }
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo&) const override
    {
        return {kRungs[rungOf(kRungs, params)].file};
    }

private:
    Result<std::unique_ptr<LadderPoint>> open(const ParamSet& params, GpuContext& context) const override;
    ExperimentInfo m_info;
};

void reportKeys(RunContext& context, const Setting& setting, const Census& census)
{
    const double hottest = *std::ranges::max_element(census.counts);
    context.metric("contention", census.contention, Provenance::Modelled);
    context.limit("contention", 1);
    context.metric("hottest_bin", 100 * hottest / static_cast<double>(setting.n), Provenance::Modelled);
    context.metric("reads_per_key", setting.windows(), Provenance::Modelled);
}

class HistogramPoint : public LadderPoint {
public:
    HistogramPoint(GpuContext& given, const Setting& setting, Keys keys, const gpu::LoadedProgram* program)
        : LadderPoint(given), m_setting(setting), m_keys(std::move(keys)), m_program(program)
    {
        arm = "histogram";
    }
    Result<gpu::Sequence> makeSet(Buffers& buffers) override
    {
        const auto set = labs::makeSet(context, m_setting, m_keys, buffers);
        if (!set)
            return set.error();
        if (!m_checked)
            m_checked = *set;
        return sequenceOf(m_setting, m_program, *set);
    }
    Result<void> prepare(Buffers&) override
    {
        auto census = censusOf(context, m_setting, m_keys);
        if (!census)
            return census.error();
        m_census = std::move(*census);
        return {};
    }
    Result<void> check() override { return checkOutput(context, m_setting, *m_census, m_checked->bins); }
    void report(const Execution&) override { reportKeys(context, m_setting, *m_census); }
    UsefulBytes bytes() const override { return m_setting.bytes(); }
    std::uint64_t touchedBytes() const override { return m_setting.n * 4; }
    void reportTimes(const std::vector<Measured>& measured) override
    {
        const Measured& own = measured.front();
        context.metric("update_rate", static_cast<double>(m_setting.n) / own.seconds, own.provenance);
    }

private:
    const Setting m_setting;
    const Keys m_keys;
    const gpu::LoadedProgram* const m_program;
    std::optional<Set> m_checked;
    std::optional<Census> m_census;
};

Result<std::unique_ptr<LadderPoint>> Histogram::open(const ParamSet& params, GpuContext& context) const
{
    const Setting setting{rungOf(kRungs, params), integer(params, "elements"),
                          static_cast<std::uint32_t>(integer(params, "bins")),
                          std::max(1u, context.device().info().smCount)};
    Keys keys(choice(params, "skew"), setting.bins, context.rng().nextU32());
    const auto program = context.kernel(kRungs[setting.rung].file);
    if (!program)
        return program.error();
    return std::unique_ptr<LadderPoint>(std::make_unique<HistogramPoint>(context, setting, std::move(keys), *program));
}

} // namespace

std::unique_ptr<GpuExperiment> makeHistogram()
{
    return std::make_unique<Histogram>();
}

} // namespace ridge::labs
