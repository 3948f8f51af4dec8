// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/cub_sum.h"
#include "labs/harness/declare.h"
#include "labs/harness/ladder_experiment.h"
#include "labs/harness/simulated_time.h"

#include <bit>
#include <cmath>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr Rung kRungs[] = {
    {"atomic", "one atomic per element", "reduction/01_atomic.cu"},
    {"tree_divergent", "tree in shared memory, divergent", "reduction/02_tree_divergent.cu"},
    {"sequential", "tree with sequential addressing", "reduction/03_sequential.cu"},
    {"first_add", "first add on load", "reduction/04_first_add.cu"},
    {"shuffle", "warp shuffles", "reduction/05_shuffle.cu"},
    {"vector_loads", "grid-stride loop, 16-byte loads", "reduction/06_vector_loads.cu"},
    {"unrolled", "64 KiB in flight on each SM", "reduction/07_unrolled.cu"},
    {"redux", "redux.sync, integers only, sm_80 or newer", "reduction/08_redux.cu"},
    {"last_block", "one pass, the last block adds up", "reduction/09_last_block.cu"},
};
enum RungIndex : std::size_t {
    kAtomic,
    kDivergent,
    kSequential,
    kFirstAdd,
    kShuffle,
    kVectors,
    kUnrolled,
    kRedux,
    kLastBlock
};

constexpr std::uint32_t kThreads = 256;
constexpr std::uint64_t kUnrolledBlocks = 4; // on an SM, each thread with four loads of 16 bytes in flight

struct Setting {
    std::size_t rung = 0;
    bool isFloat = false;
    std::string input;
    std::uint64_t n = 0;
    std::uint32_t smCount = 1;
    std::uint32_t residentThreads = 1024;
    std::uint32_t salt = 0;

    /// The bytes that must be read: the owner of the formula.
    double bytes() const { return static_cast<double>(n) * 4; }
    /// Elements of a block, for the rungs whose grid grows with the input; 0 for those with a grid of resident blocks.
    std::uint64_t span() const { return rung < kFirstAdd ? kThreads : rung < kVectors ? 2 * kThreads : 0; }
    /// Blocks of the first launch, which is also how many partial sums it leaves.
    std::uint64_t blocks(std::uint64_t elements) const
    {
        if (span() > 0)
            return ceilDiv(elements, span());
        const std::uint64_t onSm = rung == kVectors ? residentThreads / kThreads : kUnrolledBlocks;
        return std::min(smCount * onSm, std::max<std::uint64_t>(1, ceilDiv(elements, 4 * kThreads)));
    }
    std::string kernel() const { return fmt::format("reduce_{}_{}", kRungs[rung].name, isFloat ? "f32" : "i32"); }

    /// Additions that follow one another on the longest way from an element to the sum.
    std::uint64_t chain() const;
    std::uint32_t bits(std::uint64_t i) const;
    double value(std::uint64_t i) const { return static_cast<double>(std::bit_cast<float>(bits(i))); }
};

Setting settingOf(const ParamSet& params, GpuContext& context)
{
    const auto& info = context.device().info();
    return {rungOf(kRungs, params),      choice(params, "type") == "float32", choice(params, "input"),
            integer(params, "elements"), std::max(1u, info.smCount),          residentThreads(info),
            context.rng().nextU32()};
}

std::uint64_t log2Up(std::uint64_t n)
{
    return n <= 1 ? 0 : static_cast<std::uint64_t>(std::bit_width(n - 1));
}

std::uint64_t Setting::chain() const
{
    if (rung == kAtomic)
        return n;
    std::uint64_t adds = 0, left = n;
    if (span() > 0) {
        for (; left > 1; left = ceilDiv(left, span()))
            adds += log2Up(std::min(left, span()));
        return adds;
    }
    // Within a vector 2, over a thread's loads, its tail 1, its four sums 2, then the tree of a block.
    const auto grid = [&](std::uint64_t elements, std::uint64_t blocks) {
        const std::uint64_t loads = ceilDiv(elements / 4, blocks * kThreads);
        return 2 + (rung == kVectors ? loads : ceilDiv(loads, 4) + 2) + 1 + log2Up(kThreads);
    };
    const std::uint64_t partials = blocks(n);
    adds = grid(n, partials);
    if (partials == 1)
        return adds;
    return adds + (rung == kLastBlock ? ceilDiv(partials, kThreads) + log2Up(kThreads) : grid(partials, 1));
}

/// What the input holds at i, as the bits of an int32 or of a float32.
std::uint32_t Setting::bits(std::uint64_t i) const
{
    const auto asBits = [this](int whole) {
        return isFloat ? std::bit_cast<std::uint32_t>(static_cast<float>(whole)) : static_cast<std::uint32_t>(whole);
    };
    if (input == "integers")
        return asBits(static_cast<int>(mixed(i, salt) % 5) - 2);
    if (input == "equal")
        return isFloat ? std::bit_cast<std::uint32_t>(0.1f) : 7;
    if (input == "huge_small") // +2^24, 1, -2^24, 1 …: the huge ones cancel, what is left is half of n
        return asBits(i % 2 == 1 ? 1 : i % 4 == 0 ? 1 << 24 : -(1 << 24));
    return isFloat ? std::bit_cast<std::uint32_t>(uniform(i, salt)) : mixed(i, salt);
}

// ---- work -----------------------------------------------------------------------------------------------------------

struct Set {
    gpu::DevicePtr in, sum;
    gpu::DevicePtr partials[2]{}; ///< the launches of a tree read one and write the other
    gpu::DevicePtr tickets{};
};

Result<Set> makeSet(GpuContext& context, const Setting& setting, Buffers& buffers)
{
    Set set;
    const std::uint64_t partials = setting.rung == kAtomic ? 1 : setting.blocks(setting.n);
    const std::tuple<gpu::DevicePtr*, std::uint64_t, const char*> wanted[] = {
        {&set.in, setting.n, "in"},
        {&set.sum, 1, "sum"},
        {&set.partials[0], partials, "partial sums"},
        {&set.partials[1], setting.span() > 0 ? ceilDiv(partials, setting.span()) : 1, "partial sums of partial sums"},
        {&set.tickets, 1, "tickets"}};
    for (const auto& [ptr, elements, label] : wanted) {
        const auto made = buffers.allocate(elements * 4, label);
        if (!made)
            return made.error();
        *ptr = *made;
        const bool isInput = ptr == &set.in, isTickets = ptr == &set.tickets;
        const auto filled = isInput
                                ? fill<std::uint32_t>(context, *made, elements, [&](auto i) { return setting.bits(i); })
                            : isTickets ? fill<std::uint32_t>(context, *made, elements, [](auto) { return 0u; })
                                        : poison(context, *made, elements * 4);
        if (!filled)
            return filled.error();
    }
    return set;
}

gpu::Sequence sequenceOf(const Setting& setting, const gpu::LoadedProgram* program, const Set& set)
{
    const auto launch = [&](gpu::DevicePtr from, gpu::DevicePtr to, std::uint64_t n, std::uint64_t blocks) {
        return step(program, setting.kernel(), blocks, kThreads, {from, to, n});
    };
    if (setting.rung == kAtomic)
        return {step(program, "clear_sum", 1, 1, {set.sum}),
                launch(set.in, set.sum, setting.n, ceilDiv(setting.n, kThreads))};
    if (setting.rung == kLastBlock)
        return {step(program, setting.kernel(), setting.blocks(setting.n), kThreads,
                     {set.in, set.sum, setting.n, set.partials[0], set.tickets})};
    gpu::Sequence sequence;
    gpu::DevicePtr from = set.in;
    for (std::uint64_t left = setting.n; sequence.empty() || left > 1;) {
        // One block is enough for the few partial sums that a grid of resident blocks leaves.
        const std::uint64_t blocks = setting.span() == 0 && !sequence.empty() ? 1 : setting.blocks(left);
        const gpu::DevicePtr to = blocks == 1 ? set.sum : set.partials[sequence.size() % 2];
        sequence.push_back(launch(from, to, left, blocks));
        from = to;
        left = blocks;
    }
    return sequence;
}

// ---- correctness ----------------------------------------------------------------------------------------------------

/// The sum as the CPU adds it up.
struct Expected {
    std::uint32_t wrapped = 0; ///< of integers, modulo 2^32
    double exact = 0, magnitudes = 0;
};

Result<Expected> addUp(RunContext& context, const Setting& setting)
{
    Expected sum;
    for (std::uint64_t i = 0; i < setting.n; ++i) {
        if (i % (1u << 20) == 0 && context.cancelled())
            return Error{"cancelled", "the run was cancelled", "adding up on the CPU", ""};
        if (setting.isFloat) {
            sum.exact += setting.value(i);
            sum.magnitudes += std::abs(setting.value(i));
        } else {
            sum.wrapped += setting.bits(i);
        }
    }
    return sum;
}

/// Whether a sum that was made by `chain` additions in a row at most is right; `how` says in which sense.
bool isRight(const Setting& setting, const Expected& expected, std::uint32_t got, std::uint64_t chain, std::string& how)
{
    if (!setting.isFloat) {
        how = "modulo 2^32, bit for bit";
        return got == expected.wrapped;
    }
    const double result = static_cast<double>(std::bit_cast<float>(got));
    // Small integers add up without rounding in any order, as long as no partial sum can pass 2^24.
    if (setting.input == "integers" && expected.magnitudes <= 0x1p24) {
        how = "exactly: small integers";
        return result == expected.exact;
    }
    how = fmt::format("within {} × 2^-24 of the sum of magnitudes", chain);
    const double bound = static_cast<double>(chain) * 0x1p-24 * expected.magnitudes;
    return std::abs(result - expected.exact) <= bound;
}

Result<void> checkSum(GpuContext& context, const Setting& setting, const Expected& expected, gpu::DevicePtr sum)
{
    std::uint32_t got = 0;
    if (auto copied = context.device().copyToHost(std::as_writable_bytes(std::span(&got, 1)), sum); !copied)
        return copied;
    Comparison comparison;
    std::string how;
    const bool right = isRight(setting, expected, got, setting.chain(), how);
    if (!setting.isFloat) {
        comparison.see(0, right, static_cast<std::int32_t>(got), static_cast<std::int32_t>(expected.wrapped));
        comparison.report(context, how);
        return {};
    }
    const double result = static_cast<double>(std::bit_cast<float>(got));
    comparison.see(0, right, result, expected.exact);
    comparison.report(context, how);
    if (std::isfinite(result))
        context.metric("relative_error", std::abs(result - expected.exact) / expected.magnitudes,
                       context.device().info().provenance);
    context.limit("relative_error", static_cast<double>(setting.chain()) * 0x1p-24);
    return {};
}

/// CUB on the same input. Null where there is none, or where its sum is wrong, which is no reference.
struct Cub {
    std::unique_ptr<CubSum> sum;
    std::optional<double> simulatedSeconds;
    gpu::Arm arm{"cub", {}};
};

Result<gpu::Sequence> cubOn(const Setting& setting, const CubSum& cub, Buffers& buffers, gpu::DevicePtr in,
                            gpu::DevicePtr* sum = nullptr)
{
    const auto partials = buffers.allocate(cub.partials(setting.n) * 4, "partial sums of CUB");
    const auto result = partials ? buffers.allocate(4, "sum of CUB") : partials;
    if (!result)
        return result.error();
    if (sum != nullptr)
        *sum = *result;
    return cub.sequence(in, *partials, *result, setting.n);
}

Result<Cub> tryCub(GpuContext& context, const Setting& setting, const Expected& expected, Buffers& buffers,
                   gpu::DevicePtr in)
{
    Cub cub;
    auto made = CubSum::make(context, setting.isFloat);
    if (!made)
        return made.error();
    if (!*made)
        return cub;
    gpu::DevicePtr sum;
    const auto sequence = cubOn(setting, **made, buffers, in, &sum);
    if (!sequence)
        return sequence.error();
    if (auto poisoned = poison(context, sum, 4); !poisoned)
        return poisoned.error();
    const auto simulated = executeReference(context, *sequence);
    if (!simulated)
        return simulated.error();
    std::uint32_t got = 0;
    if (auto copied = context.device().copyToHost(std::as_writable_bytes(std::span(&got, 1)), sum); !copied)
        return copied.error();
    std::string how;
    const bool right = isRight(setting, expected, got, (*made)->chain(setting.n), how);
    context.check("cub_matches_reference", right, (*made)->name() + " gives what the CPU gives, " + how);
    if (!right)
        return cub;
    cub.sum = std::move(*made);
    cub.simulatedSeconds = *simulated;
    cub.arm.sets.push_back(*sequence);
    return cub;
}

// ---- description ----------------------------------------------------------------------------------------------------

std::vector<ParamSpec> parameters()
{
    auto elements = integerParam("elements", "Elements", "elements", 1024, 1 << 30, 1 << 20, ParamScale::Log2,
                                 "How many 4-byte elements are added up; need not be a power of two.");
    elements.defaultFor = {{"gpu", std::int64_t{1 << 28}}};
    elements.sweepFor = {{"sim", "1024..4194304:log2"}};
    auto reference =
        referenceParam("cub", "cub: hold the rung against the sum of NVIDIA's CUB, compiled from the headers of the "
                              "CUDA toolkit; without a toolkit the run says so and goes on.");
    return {rungParam(kRungs, "vector_loads"), elements,
            choiceParam("type", "Type", {"int32", "float32"}, "int32",
                        "Integers wrap modulo 2^32 and are checked bit for bit, floats against a bound on rounding."),
            choiceParam("input", "Input", {"uniform", "integers", "equal", "huge_small"}, "uniform",
                        "uniform: any int32, or floats in [-1, 1); integers: -2 … 2, exact in floats too; equal: one "
                        "value throughout; huge_small: +2^24, 1, -2^24, 1 …, where floats lose the ones."),
            reference};
}

std::vector<MetricSpec> metrics()
{
    const MetricSpec own[] = {
        {"launches", "Launches", "launches", "Kernels that one sum takes, clearing the result included."},
        {"bytes_in_flight", "Bytes in flight per SM", "bytes",
         "Loads that the resident threads of an SM can have on their way before one of them must wait; some 48 KiB "
         "fill "
         "the memory of an H200, says NVIDIA's CUB."},
        {"relative_error", "Relative error", "1",
         "Distance from the sum in fp64 over the sum of magnitudes; floats only."},
        {"shared_requests", "Shared-memory requests", "requests",
         "Loads and stores of shared memory that at least one lane of a warp takes part in, all launches: a step of "
         "the "
         "tree costs one a warp however few lanes work."},
        {"instructions", "Warp instructions", "instructions", "PTX instructions that warps executed, all launches."},
        {"barrier_waits", "Barriers", "instructions", "Block-wide barriers that warps arrived at, all launches."}};
    auto all = ladderMetrics(own, "Bytes of the input", "all launches of one sum");
    all.push_back(
        {"cub_bandwidth", "Bandwidth of CUB", "GB/s",
         "Of NVIDIA's CUB, compiled from the toolkit's headers, on the same input and in turns with the rung."});
    all.push_back({"cub_share", "Share of CUB's bandwidth", "%", "Bandwidth over that of CUB."});
    addPairMetrics(all, "cub_share", "Share of CUB's bandwidth");
    return all;
}

class Reduction : public LadderExperiment {
public:
    Reduction()
    {
        m_info.id = "reduction";
        m_info.version = 2;
        m_info.title = "Reduction";
        m_info.module = 2;
        m_info.summary =
            "Adds up an array with nine kernels, from one atomic per element to a single pass at memory speed.";
        m_info.parameters = parameters();
        m_info.targets = {"gpu", "sim"};
        m_info.metrics = metrics();
        const auto chart = [](const char* id, const char* title, const char* x, const char* y) {
            return ChartSpec{id, title, x, y, ParamScale::Log2, ParamScale::Linear};
        };
        m_info.charts = {
            chart("bandwidth_over_elements", "Bandwidth over elements", "elements", "bandwidth"),
            {"time_over_elements", "Time over elements", "elements", "time", ParamScale::Log2, ParamScale::Log2},
            chart("error_over_elements", "Relative error over elements", "elements", "relative_error"),
            {"bandwidth_by_rung",
             "Bandwidth by rung",
             "rung",
             "bandwidth",
             ParamScale::List,
             ParamScale::Linear,
             "ladder",
             {"cub_bandwidth"}}};
        m_info.limits = bandwidthLimits("elements × 4 B");
        m_info.limits.push_back({"relative_error", "rounding, worst case", "upper",
                                 "additions in a row × 2^-24: log2(elements) in a tree, elements for atomics",
                                 "N. J. Higham, Accuracy and Stability of Numerical Algorithms, section 4.2"});
        m_info.kernels = filesOf(kRungs);
        m_info.scenes = launchScenes();
    }
    const ExperimentInfo& info() const override { return m_info; }
    /// None where run() refuses the rung by name.
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo& info) const override
    {
        const std::size_t rung = rungOf(kRungs, params);
        if (rung == kRedux && info.computeMajor < 8)
            return {};
        return {kRungs[rung].file};
    }

private:
    Result<std::unique_ptr<LadderPoint>> open(const ParamSet& params, GpuContext& context) const override;
    ExperimentInfo m_info;
};

std::optional<Error> refused(const Setting& setting, const gpu::DeviceInfo& info)
{
    if (setting.rung != kRedux)
        return std::nullopt;
    if (setting.isFloat)
        return Error{"bad-value", "rung=redux with type=float32: redux.sync adds integers only", "reduction: type",
                     "set type=int32, or rung=last_block"};
    if (info.computeMajor < 8)
        return Error{"needs-newer-chip",
                     fmt::format("rung=redux needs compute capability 8.0, {} has {}.{}", info.target,
                                 info.computeMajor, info.computeMinor),
                     "reduction: rung", "set rung=unrolled, or choose a target of capability 8.0 or newer"};
    return std::nullopt;
}

void reportWork(GpuContext& context, const Setting& setting, const Execution& done, std::size_t launches)
{
    context.metric("launches", static_cast<double>(launches), Provenance::Modelled);
    const std::uint64_t perThread = setting.rung < kFirstAdd   ? 4
                                    : setting.rung < kVectors  ? 8
                                    : setting.rung == kVectors ? 16
                                                               : 64;
    const std::uint64_t blocks = setting.rung == kAtomic ? ceilDiv(setting.n, kThreads) : setting.blocks(setting.n);
    const std::uint64_t onSm =
        std::min<std::uint64_t>(ceilDiv(blocks, setting.smCount), setting.residentThreads / kThreads);
    context.metric("bytes_in_flight", static_cast<double>(onSm * kThreads * perThread), Provenance::Modelled);
    if (const auto counters = done.counters()) {
        const auto by = context.device().info().provenance;
        context.metric("shared_requests",
                       static_cast<double>(counters->sharedLoadRequests + counters->sharedStoreRequests), by);
        context.metric("instructions", static_cast<double>(counters->instExecuted), by);
        context.metric("barrier_waits", static_cast<double>(counters->barriers), by);
    }
}

class ReductionPoint : public LadderPoint {
public:
    ReductionPoint(GpuContext& given, const Setting& setting, bool wantsCub, const gpu::LoadedProgram* program)
        : LadderPoint(given), m_setting(setting), m_wantsCub(wantsCub), m_program(program)
    {
        arm = "sum";
    }
    Result<gpu::Sequence> makeSet(Buffers& buffers) override
    {
        const auto set = labs::makeSet(context, m_setting, buffers);
        if (!set)
            return set.error();
        if (!m_checked)
            m_checked = *set;
        if (m_cub.sum) {
            auto theirs = cubOn(m_setting, *m_cub.sum, buffers, set->in);
            if (!theirs)
                return theirs.error();
            m_cub.arm.sets.push_back(std::move(*theirs));
        }
        return sequenceOf(m_setting, m_program, *set);
    }
    Result<void> prepare(Buffers& buffers) override
    {
        const auto expected = addUp(context, m_setting);
        if (!expected)
            return expected.error();
        m_expected = *expected;
        if (!m_wantsCub)
            return {};
        auto cub = tryCub(context, m_setting, m_expected, buffers, m_checked->in);
        if (!cub)
            return cub.error();
        m_cub = std::move(*cub);
        return {};
    }
    Result<void> check() override { return checkSum(context, m_setting, m_expected, m_checked->sum); }
    void report(const Execution& done) override { reportWork(context, m_setting, done, done.launches.size()); }
    UsefulBytes bytes() const override { return {m_setting.bytes(), 0}; }
    std::uint64_t touchedBytes() const override { return static_cast<std::uint64_t>(m_setting.bytes()); }
    std::vector<gpu::Arm> references() override
    {
        return m_cub.sum && !m_cub.simulatedSeconds ? std::vector<gpu::Arm>{m_cub.arm} : std::vector<gpu::Arm>();
    }
    void reportTimes(const std::vector<Measured>& measured) override
    {
        if (!m_cub.sum)
            return;
        const Measured theirs = referenceTime(m_cub.simulatedSeconds, measured);
        context.metric("cub_bandwidth", m_setting.bytes() / theirs.seconds / 1e9, theirs.provenance);
        reportShare(context, "cub_share", measured.front(), theirs);
    }

private:
    const Setting m_setting;
    const bool m_wantsCub;
    const gpu::LoadedProgram* const m_program;
    Expected m_expected;
    Cub m_cub;
    std::optional<Set> m_checked;
};

Result<std::unique_ptr<LadderPoint>> Reduction::open(const ParamSet& params, GpuContext& context) const
{
    const Setting setting = settingOf(params, context);
    if (auto why = refused(setting, context.device().info()))
        return *why;
    const auto program = context.kernel(kRungs[setting.rung].file);
    if (!program)
        return program.error();
    const bool wantsCub = choice(params, "reference") == "cub";
    return std::unique_ptr<LadderPoint>(std::make_unique<ReductionPoint>(context, setting, wantsCub, *program));
}

} // namespace

std::unique_ptr<GpuExperiment> makeReduction()
{
    return std::make_unique<Reduction>();
}

} // namespace ridge::labs
