// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/ladder_experiment.h"
#include "labs/harness/simulated_time.h"

#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr Rung kRungs[] = {
    {"hillis_steele", "log-step scan in a block, three passes", "scan/01_hillis_steele.cu"},
    {"work_efficient", "tree up and down in a block, three passes", "scan/02_work_efficient.cu"},
    {"shuffle", "warp shuffles, three passes", "scan/03_shuffle.cu"},
    {"reduce_then_scan", "add up the tiles first, write once", "scan/04_reduce_then_scan.cu"},
    {"look_back", "one pass with decoupled look-back", "scan/05_look_back.cu"},
};
constexpr std::size_t kReduceThenScan = 3, kLookBack = 4;
constexpr std::uint32_t kTiles[] = {256, 512, 1024, 4096, 4096}; ///< elements of a block
constexpr std::uint32_t kThreads = 256;

struct Setting {
    std::size_t rung = 0;
    bool exclusive = false;
    std::uint64_t n = 0;
    std::uint32_t salt = 0;

    /// Each element read once and written once: the owner of the formula.
    UsefulBytes bytes() const { return {static_cast<double>(n) * 4, static_cast<double>(n) * 4}; }
    std::uint64_t tile() const { return kTiles[rung]; }
    std::uint64_t tiles(std::uint64_t elements) const { return ceilDiv(elements, tile()); }
    std::uint32_t value(std::uint64_t i) const { return mixed(i, salt); }
};

Setting settingOf(const ParamSet& params, RunContext& context)
{
    return {rungOf(kRungs, params), choice(params, "kind") == "exclusive", integer(params, "elements"),
            context.rng().nextU32()};
}

// ---- work -----------------------------------------------------------------------------------------------------------

struct Set {
    gpu::DevicePtr in, out;
    std::vector<gpu::DevicePtr> totals; ///< sums of tiles, of tiles of tiles …; look-back: states and ticket
};

Result<Set> makeSet(GpuContext& context, const Setting& setting, Buffers& buffers)
{
    Set set;
    const auto allocate = [&](std::uint64_t bytes, const char* label) -> Result<gpu::DevicePtr> {
        const auto made = buffers.allocate(bytes, label);
        if (!made)
            return made.error();
        if (auto poisoned = poison(context, *made, bytes); !poisoned)
            return poisoned.error();
        return *made;
    };
    const auto in = buffers.allocate(setting.n * 4, "in");
    if (!in)
        return in.error();
    set.in = *in;
    if (auto filled = fill<std::uint32_t>(context, set.in, setting.n, [&](auto i) { return setting.value(i); });
        !filled)
        return filled.error();
    const auto out = allocate(setting.n * 4, "out");
    if (!out)
        return out.error();
    set.out = *out;
    std::vector<std::pair<std::uint64_t, const char*>> wanted;
    if (setting.rung == kLookBack)
        wanted = {{setting.tiles(setting.n) * 8, "states of tiles"}, {4, "ticket"}};
    else
        for (std::uint64_t left = setting.n; wanted.empty() || left > 1;) {
            left = setting.tiles(left);
            wanted.emplace_back(left * 4, "sums of tiles");
        }
    for (const auto& [bytes, label] : wanted) {
        const auto made = allocate(bytes, label);
        if (!made)
            return made.error();
        set.totals.push_back(*made);
    }
    return set;
}

/// Scans `n` elements of level `level`, and with them the sums of their tiles, one level up, exclusively.
void addLevel(const Setting& setting, const gpu::LoadedProgram* program, const Set& set, gpu::DevicePtr from,
              gpu::DevicePtr to, std::uint64_t n, std::size_t level, gpu::Sequence& sequence)
{
    const std::uint64_t tiles = setting.tiles(n);
    const std::uint32_t exclusive = level > 0 || setting.exclusive ? 1 : 0;
    const gpu::DevicePtr totals = set.totals.at(level);
    const auto above = [&] { addLevel(setting, program, set, totals, totals, tiles, level + 1, sequence); };
    if (setting.rung == kReduceThenScan) {
        if (tiles > 1) {
            sequence.push_back(step(program, "scan_reduce_tiles", tiles, kThreads, {from, totals, n}));
            above();
        }
        const std::uint32_t hasOffsets = tiles > 1 ? 1 : 0;
        sequence.push_back(step(program, "scan_tiles", tiles, kThreads, {from, to, totals, n, exclusive, hasOffsets}));
        return;
    }
    const auto kernel = fmt::format("scan_{}", kRungs[setting.rung].name);
    sequence.push_back(step(program, kernel, tiles, kThreads, {from, to, totals, n, exclusive}));
    if (tiles == 1)
        return;
    above();
    sequence.push_back(step(program, "scan_add_offsets", ceilDiv(n, kThreads), kThreads,
                            {to, totals, n, static_cast<std::uint32_t>(setting.tile())}));
}

gpu::Sequence sequenceOf(const Setting& setting, const gpu::LoadedProgram* program, const Set& set)
{
    gpu::Sequence sequence;
    if (setting.rung == kLookBack) {
        const std::uint64_t tiles = setting.tiles(setting.n);
        const std::uint32_t exclusive = setting.exclusive ? 1 : 0;
        sequence.push_back(step(program, "scan_clear_states", ceilDiv(tiles, kThreads), kThreads,
                                {set.totals[0], set.totals[1], static_cast<std::uint32_t>(tiles)}));
        sequence.push_back(step(program, "scan_look_back", tiles, kThreads,
                                {set.in, set.out, set.totals[0], set.totals[1], setting.n, exclusive}));
    } else {
        addLevel(setting, program, set, set.in, set.out, setting.n, 0, sequence);
    }
    return sequence;
}

Result<void> checkOutput(GpuContext& context, const Setting& setting, gpu::DevicePtr out)
{
    Comparison comparison;
    std::uint32_t sum = 0;
    const auto read = readBack<std::uint32_t>(context, out, setting.n, [&](std::uint64_t i, std::uint32_t got) {
        const std::uint32_t before = sum;
        sum += setting.value(i);
        const std::uint32_t wanted = setting.exclusive ? before : sum;
        comparison.see(i, got == wanted, got, wanted);
    });
    if (!read)
        return read;
    comparison.report(context, "modulo 2^32, bit for bit");
    return {};
}

void reportWork(GpuContext& context, const Setting& setting, const Execution& done)
{
    context.metric("launches", static_cast<double>(done.launches.size()), Provenance::Modelled);
    const auto counters = done.counters();
    if (!counters)
        return;
    const auto by = context.device().info().provenance;
    const std::uint64_t touched = counters->globalLoadBytes + counters->globalStoreBytes;
    context.metric("bytes_per_element", static_cast<double>(touched) / static_cast<double>(setting.n), by);
    context.limit("bytes_per_element", 8);
    context.metric("instructions", static_cast<double>(counters->instExecuted), by);
    context.metric("barrier_waits", static_cast<double>(counters->barriers), by);
    context.metric("bank_conflicts", sharedPasses(*counters).conflicts(), by);
}

// ---- description ----------------------------------------------------------------------------------------------------

std::vector<ParamSpec> parameters()
{
    auto elements = integerParam("elements", "Elements", "elements", 1024, 1 << 28, 1 << 18, ParamScale::Log2,
                                 "How many int32 are scanned; need not be a power of two.");
    elements.defaultFor = {{"gpu", std::int64_t{1 << 27}}};
    elements.sweepFor = {{"sim", "1024..4194304:log2"}};
    return {rungParam(kRungs, "shuffle"), elements,
            choiceParam("kind", "Kind", {"inclusive", "exclusive"}, "inclusive",
                        "inclusive: each element counts in its own sum; exclusive: only those before it do.")};
}

std::vector<MetricSpec> metrics()
{
    const MetricSpec own[] = {
        {"bytes_per_element", "Bytes per element", "bytes",
         "Bytes that lanes loaded and stored in global memory, for each element; 8 is the least, three passes take "
         "16."},
        {"launches", "Launches", "launches", "Kernels that one scan takes, clearing included."},
        {"instructions", "Warp instructions", "instructions", "PTX instructions that warps executed, all launches."},
        {"barrier_waits", "Barriers", "instructions", "Block-wide barriers that warps arrived at, all launches."},
        {"bank_conflicts", "Bank conflicts", "wavefronts",
         "Passes through shared memory beyond the fewest possible, all launches."}};
    return ladderMetrics(own, "Bytes of the array, read once and written once,", "all launches of one scan");
}

class Scan : public LadderExperiment {
public:
    Scan()
    {
        m_info.id = "scan";
        m_info.version = 1;
        m_info.title = "Prefix sum";
        m_info.module = 2;
        m_info.summary = "Computes all prefix sums of an array with five kernels, from three passes down to one.";
        m_info.parameters = parameters();
        m_info.targets = {"gpu", "sim"};
        m_info.metrics = metrics();
        m_info.charts = {
            {"bandwidth_over_elements", "Bandwidth over elements", "elements", "bandwidth", ParamScale::Log2,
             ParamScale::Linear},
            {"time_over_elements", "Time over elements", "elements", "time", ParamScale::Log2, ParamScale::Log2},
            {"bandwidth_by_rung", "Bandwidth by rung", "rung", "bandwidth", ParamScale::List, ParamScale::Linear,
             "ladder"}};
        m_info.limits = bandwidthLimits("2 × elements × 4 B");
        m_info.limits.push_back({"bytes_per_element", "read once, write once", "lower", "2 × 4 B",
                                 "every element must be read and every sum written"});
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

class ScanPoint : public LadderPoint {
public:
    ScanPoint(GpuContext& given, const Setting& setting, const gpu::LoadedProgram* program)
        : LadderPoint(given), m_setting(setting), m_program(program)
    {
        arm = "scan";
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
    Result<void> check() override { return checkOutput(context, m_setting, m_checked->out); }
    void report(const Execution& done) override { reportWork(context, m_setting, done); }
    UsefulBytes bytes() const override { return m_setting.bytes(); }
    std::uint64_t touchedBytes() const override { return 2 * m_setting.n * 4; }

private:
    const Setting m_setting;
    const gpu::LoadedProgram* const m_program;
    std::optional<Set> m_checked;
};

Result<std::unique_ptr<LadderPoint>> Scan::open(const ParamSet& params, GpuContext& context) const
{
    const Setting setting = settingOf(params, context);
    const auto program = context.kernel(kRungs[setting.rung].file);
    if (!program)
        return program.error();
    return std::unique_ptr<LadderPoint>(std::make_unique<ScanPoint>(context, setting, *program));
}

} // namespace

std::unique_ptr<GpuExperiment> makeScan()
{
    return std::make_unique<Scan>();
}

} // namespace ridge::labs
