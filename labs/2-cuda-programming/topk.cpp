// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/ladder_experiment.h"
#include "labs/harness/simulated_time.h"

#include <algorithm>

namespace ridge::labs {
namespace {

constexpr Rung kRungs[] = {
    {"rounds", "the largest, k times", "topk/01_rounds.cu"},
    {"sorted_tiles", "sort tiles, keep the best of each", "topk/02_sorted_tiles.cu"},
    {"radix", "find the k-th key digit by digit", "topk/03_radix.cu"},
    {"filter", "put aside what is still open", "topk/04_filter.cu"},
    {"threshold", "one read against a threshold that rises", "topk/05_threshold.cu"},
};
enum RungIndex : std::size_t { kRounds, kSortedTiles, kRadix, kFilter, kThreshold };

constexpr std::uint32_t kThreads = 256;
constexpr std::uint64_t kTile = 2048;       ///< pairs that a block sorts
constexpr std::uint64_t kStayingBlocks = 8; ///< on an SM, of those that walk over the keys

struct Setting {
    std::size_t rung = 0;
    std::uint64_t n = 0;
    std::uint32_t k = 1;
    std::string keys;
    std::uint32_t smCount = 1;
    std::uint32_t salt = 0;

    /// Each key read once, the k best written as pairs of key and index: the owner of the formula.
    UsefulBytes bytes() const { return {static_cast<double>(n) * 4, static_cast<double>(k) * 8}; }
    /// Blocks of a pass over all keys.
    std::uint64_t blocks() const
    {
        const std::uint64_t step = rung == kThreshold ? 4 * kThreads : kThreads;
        return std::min(smCount * kStayingBlocks, ceilDiv(n, 4 * step)); // at least four steps each
    }
    /// Pairs that the first launch leaves, for the rungs that merge.
    std::uint64_t survivors() const { return (rung == kSortedTiles ? ceilDiv(n, kTile) : blocks()) * k; }
    /// How often a key crosses the memory, pairs that are put aside among them, in keys of four bytes; what launches
    /// after the first pass leave to each other is left out. `alike`: keys that are put aside.
    double reads(std::uint64_t alike) const
    {
        const double share = static_cast<double>(alike) / static_cast<double>(n);
        return rung == kRounds ? k : rung == kRadix ? 5 : rung == kFilter ? 2 + 10 * share : 1;
    }
    std::uint32_t key(std::uint64_t i) const
    {
        if (keys == "one_value")
            return 0x3F800000;
        if (keys == "rising")
            return static_cast<std::uint32_t>(i);
        if (keys == "alike") // floats of [1, 2), as bits
            return 0x3F800000u | mixed(i, salt) >> 9;
        return mixed(i, salt);
    }
};

Setting settingOf(const ParamSet& params, GpuContext& context)
{
    return {rungOf(kRungs, params),
            integer(params, "elements"),
            static_cast<std::uint32_t>(integer(params, "k")),
            choice(params, "keys"),
            std::max(1u, context.device().info().smCount),
            context.rng().nextU32()};
}

// ---- work -----------------------------------------------------------------------------------------------------------

struct Set {
    gpu::DevicePtr keys, out;
    gpu::DevicePtr parts[2]{}; ///< what launches leave to each other; the second: bins, or the next level
    gpu::DevicePtr state{};
};

Result<Set> makeSet(GpuContext& context, const Setting& setting, Buffers& buffers)
{
    Set set;
    const auto allocate = [&](gpu::DevicePtr& to, std::uint64_t bytes, const char* label) -> Result<void> {
        const auto made = buffers.allocate(bytes, label);
        if (!made)
            return made.error();
        to = *made;
        return poison(context, to, bytes);
    };
    const auto keys = buffers.allocate(setting.n * 4, "keys");
    if (!keys)
        return keys.error();
    set.keys = *keys;
    if (auto filled = fill<std::uint32_t>(context, set.keys, setting.n, [&](auto i) { return setting.key(i); });
        !filled)
        return filled.error();
    if (auto made = allocate(set.out, 8ull * setting.k, "out"); !made)
        return made.error();
    const bool merges = setting.rung == kSortedTiles || setting.rung == kThreshold;
    const std::uint64_t pairs = merges ? setting.survivors() : setting.rung == kFilter ? setting.n : 0;
    if (pairs > 0)
        if (auto made = allocate(set.parts[0], 8 * pairs, merges ? "survivors" : "put aside"); !made)
            return made.error();
    const std::uint64_t further = merges                    ? 8 * setting.k * ceilDiv(pairs, kTile)
                                  : setting.rung == kRounds ? 0
                                                            : 4 * 256;
    if (further > 0)
        if (auto made = allocate(set.parts[1], further, merges ? "survivors of survivors" : "bins"); !made)
            return made.error();
    if (auto made = allocate(set.state, 32, "state"); !made)
        return made.error();
    return set;
}

/// Sorts tiles of what is left, again and again, until one block has the result.
void merge(const Setting& setting, const gpu::LoadedProgram* program, const Set& set, gpu::Step first,
           gpu::Sequence& sequence)
{
    sequence.push_back(std::move(first));
    std::uint64_t left = setting.survivors();
    for (std::size_t from = 0; left > setting.k; from = 1 - from) {
        const std::uint64_t tiles = ceilDiv(left, kTile);
        const gpu::DevicePtr to = tiles == 1 ? set.out : set.parts[1 - from];
        sequence.push_back(step(program, "topk_sort_pairs", tiles, kThreads, {set.parts[from], to, left, setting.k}));
        left = tiles * setting.k;
    }
}

gpu::Sequence sequenceOf(const Setting& setting, const gpu::LoadedProgram* program, const Set& set)
{
    gpu::Sequence sequence;
    const std::uint64_t blocks = setting.blocks(), n = setting.n;
    const std::uint32_t k = setting.k;
    const gpu::DevicePtr bins = set.parts[1];
    const auto launch = [&](const char* kernel, std::uint64_t of, std::vector<gpu::KernelArg> args) {
        sequence.push_back(step(program, kernel, of, kThreads, std::move(args)));
    };
    if (setting.rung == kRounds) {
        sequence.push_back(step(program, "topk_clear", 1, 1024, {set.out, k}));
        for (std::uint32_t round = 0; round < k; ++round)
            launch("topk_largest", blocks, {set.keys, set.out, n, round});
        return sequence;
    }
    if (setting.rung == kSortedTiles || setting.rung == kThreshold) {
        const bool tiles = setting.rung == kSortedTiles;
        const gpu::DevicePtr to = setting.survivors() == k ? set.out : set.parts[0];
        merge(setting, program, set,
              step(program, tiles ? "topk_sort_keys" : "topk_threshold", setting.survivors() / k, kThreads,
                   {set.keys, to, n, k}),
              sequence);
        return sequence;
    }
    launch("topk_begin", 1, {set.state, bins, k});
    for (const std::uint32_t shift : {24u, 16u, 8u, 0u}) {
        if (setting.rung == kRadix)
            launch("topk_count", blocks, {set.keys, set.state, bins, n, shift});
        else if (shift == 24)
            launch("topk_count_first", blocks, {set.keys, bins, n});
        else
            launch("topk_count_aside", blocks, {set.parts[0], set.state, bins, shift});
        launch("topk_choose", 1, {set.state, bins, shift});
        if (setting.rung == kFilter && shift == 24)
            launch("topk_filter", blocks, {set.keys, set.state, set.out, set.parts[0], n});
    }
    if (setting.rung == kRadix)
        launch("topk_collect", blocks, {set.keys, set.state, set.out, n});
    else
        launch("topk_collect_aside", blocks, {set.parts[0], set.state, set.out, k});
    launch("topk_order", 1, {set.out, k});
    return sequence;
}

// ---- correctness ----------------------------------------------------------------------------------------------------

struct Truth {
    std::vector<std::uint32_t> largest; ///< the k largest keys, largest first
    std::uint64_t alike = 0;            ///< keys whose upper eight bits are those of the k-th
};

Result<Truth> truthOf(RunContext& context, const Setting& setting)
{
    Truth truth;
    std::vector<std::uint32_t>& heap = truth.largest; // its front is the smallest of the best
    std::vector<std::uint64_t> digits(256);
    const auto above = std::greater<std::uint32_t>();
    for (std::uint64_t i = 0; i < setting.n; ++i) {
        if (i % (1u << 20) == 0 && context.cancelled())
            return Error{"cancelled", "the run was cancelled", "finding the largest keys on the CPU", ""};
        const std::uint32_t key = setting.key(i);
        ++digits[key >> 24];
        if (heap.size() == setting.k && key <= heap.front())
            continue;
        if (heap.size() == setting.k) {
            std::ranges::pop_heap(heap, above);
            heap.pop_back();
        }
        heap.push_back(key);
        std::ranges::push_heap(heap, above);
    }
    std::ranges::sort_heap(heap, above);
    truth.alike = digits[heap.back() >> 24];
    return truth;
}

/// Keys bit for bit. Which of several equal keys is named is open; that each is one, and none is named twice, is not.
Result<void> checkOutput(GpuContext& context, const Setting& setting, const Truth& truth, gpu::DevicePtr out)
{
    Comparison comparison;
    std::vector<std::uint64_t> pairs;
    auto seen = readBack<std::uint64_t>(context, out, setting.k, [&](std::uint64_t i, std::uint64_t pair) {
        const auto key = static_cast<std::uint32_t>(pair >> 32);
        comparison.see(i, key == truth.largest[i], key, truth.largest[i]);
        pairs.push_back(pair);
    });
    if (!seen)
        return seen;
    comparison.report(context, "keys bit for bit");
    std::uint64_t wrong = 0;
    for (const std::uint64_t pair : pairs) {
        const std::uint64_t index = 0xFFFFFFFFu - (pair & 0xFFFFFFFFu);
        wrong += index >= setting.n || setting.key(index) != pair >> 32 ? 1 : 0;
    }
    std::ranges::sort(pairs);
    const auto twice = pairs.end() - std::unique(pairs.begin(), pairs.end());
    context.check("indices", wrong == 0 && twice == 0,
                  wrong == 0 && twice == 0
                      ? "each index holds its key, none is named twice"
                      : std::to_string(wrong) + " indices do not hold the key that they are said to, " +
                            std::to_string(twice) + " are named twice");
    return {};
}

void reportWork(GpuContext& context, const Setting& setting, const Truth& truth, const Execution& done)
{
    context.metric("launches", static_cast<double>(done.launches.size()), Provenance::Modelled);
    context.metric("reads_per_key", setting.reads(truth.alike), Provenance::Modelled);
    context.limit("reads_per_key", 1);
    const auto counters = done.counters();
    if (!counters)
        return;
    const auto by = context.device().info().provenance;
    const auto touched = 32 * static_cast<double>(counters->globalLoadSectors + counters->globalStoreSectors);
    context.metric("bytes_per_key", touched / static_cast<double>(setting.n), by);
    context.metric("instructions", static_cast<double>(counters->instExecuted), by);
    context.metric("barrier_waits", static_cast<double>(counters->barriers), by);
}

// ---- description ----------------------------------------------------------------------------------------------------

std::vector<ParamSpec> parameters()
{
    auto elements = integerParam("elements", "Keys", "elements", 1024, 1 << 28, 1 << 18, ParamScale::Log2,
                                 "How many keys of 32 bits there are; need not be a power of two.");
    elements.defaultFor = {{"gpu", std::int64_t{1 << 26}}};
    elements.sweepFor = {{"sim", "1024..1048576:log2"}};
    auto k = integerParam("k", "k", "elements", 1, 1024, 32, ParamScale::Log2, "How many of the largest are wanted.");
    k.sweepFor = {{"sim", "1..1024:log2"}};
    return {
        rungParam(kRungs, "filter"), elements, k,
        choiceParam("keys", "Keys are", {"uniform", "alike", "rising", "one_value"}, "uniform",
                    "uniform: all 32 bits are random; alike: floats between 1 and 2, which begin with the same bits; "
                    "rising: each is larger than all before; one_value: all are equal.")};
}

std::vector<MetricSpec> metrics()
{
    const MetricSpec own[] = {
        {"reads_per_key", "Reads of a key", "reads",
         "How often a key of four bytes crosses the memory, pairs that are put aside among them; 1 is the least."},
        {"bytes_per_key", "Bytes per key", "bytes",
         "Bytes of the 32-byte sectors that warps loaded and stored, all launches, for each key."},
        {"launches", "Launches", "launches", "Kernels that one selection takes, clearing included."},
        {"instructions", "Warp instructions", "instructions", "PTX instructions that warps executed, all launches."},
        {"barrier_waits", "Barriers", "instructions", "Block-wide barriers that warps arrived at, all launches."}};
    return ladderMetrics(own, "Bytes of the keys, read once, and of the result", "all launches of one selection");
}

class TopK : public LadderExperiment {
public:
    TopK()
    {
        m_info.id = "topk";
        m_info.version = 1;
        m_info.title = "Top-k";
        m_info.module = 2;
        m_info.summary =
            "Selects the k largest of an array of keys with five kernels, from k reads of all keys down to "
            "one.";
        m_info.parameters = parameters();
        m_info.targets = {"gpu", "sim"};
        m_info.metrics = metrics();
        for (const char* x : {"elements", "k"}) {
            const std::string title = x == std::string("k") ? "k" : "keys";
            m_info.charts.push_back(
                {std::string("time_over_") + x, "Time over " + title, x, "time", ParamScale::Log2, ParamScale::Log2});
            m_info.charts.push_back({std::string("bandwidth_over_") + x, "Bandwidth over " + title, x, "bandwidth",
                                     ParamScale::Log2, ParamScale::Linear});
        }
        m_info.charts.push_back({"bandwidth_by_rung", "Bandwidth by rung", "rung", "bandwidth", ParamScale::List,
                                 ParamScale::Linear, "ladder"});
        m_info.limits = bandwidthLimits("keys × 4 B + k × 8 B");
        m_info.limits.push_back(
            {"reads_per_key", "read once", "lower", "1", "a key that was never read may be the largest"});
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

class TopKPoint : public LadderPoint {
public:
    TopKPoint(GpuContext& given, const Setting& setting, const gpu::LoadedProgram* program, Truth truth)
        : LadderPoint(given), m_setting(setting), m_program(program), m_truth(std::move(truth))
    {
        arm = "topk";
    }
    Result<gpu::Sequence> makeSet(Buffers& buffers) override
    {
        const auto set = labs::makeSet(context, m_setting, buffers);
        if (!set)
            return set.error();
        if (!m_checked)
            m_checked = *set;
        return sequenceOf(m_setting, m_program, *set);
    }
    Result<void> check() override { return checkOutput(context, m_setting, m_truth, m_checked->out); }
    void report(const Execution& done) override { reportWork(context, m_setting, m_truth, done); }
    UsefulBytes bytes() const override { return m_setting.bytes(); }
    std::uint64_t touchedBytes() const override { return m_setting.n * 4; }
    std::uint64_t heldBytes() const override { return m_setting.n * (m_setting.rung == kFilter ? 12 : 4); }

private:
    const Setting m_setting;
    const gpu::LoadedProgram* const m_program;
    const Truth m_truth;
    std::optional<Set> m_checked;
};

Result<std::unique_ptr<LadderPoint>> TopK::open(const ParamSet& params, GpuContext& context) const
{
    const Setting setting = settingOf(params, context);
    const auto program = context.kernel(kRungs[setting.rung].file);
    if (!program)
        return program.error();
    auto truth = truthOf(context, setting);
    if (!truth)
        return truth.error();
    return std::unique_ptr<LadderPoint>(std::make_unique<TopKPoint>(context, setting, *program, std::move(*truth)));
}

} // namespace

std::unique_ptr<GpuExperiment> makeTopK()
{
    return std::make_unique<TopK>();
}

} // namespace ridge::labs
