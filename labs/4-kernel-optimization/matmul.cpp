// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/4-kernel-optimization/matmul_info.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/ladder_experiment.h"
#include "labs/harness/pipe_rates.h"
#include "labs/harness/simulated_time.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr std::uint64_t kReferenceWork = 1ull << 25; ///< multiply-adds on the CPU, about: fewer elements of long rows
constexpr std::uint64_t kFewest = 256;               ///< elements that are looked at whatever the work
constexpr std::uint64_t kKept = 1ull << 24;          ///< elements of B that are kept column by column, at most

/// What A and B hold; all sets of buffers hold the same.
struct Factors {
    bool integers = false;
    std::uint32_t salt = 0;

    float a(std::uint64_t i) const { return value(i, salt); }
    float b(std::uint64_t i) const { return value(i, salt ^ 0x9E3779B9u); }

private:
    float value(std::uint64_t i, std::uint32_t with) const
    {
        return integers ? static_cast<float>(static_cast<int>(mixed(i, with) % 5) - 2) : uniform(i, with);
    }
};

struct Set {
    gpu::DevicePtr a, b, c;
};

Result<Set> makeSet(GpuContext& context, const MatmulShape& shape, const Factors& factors, Buffers& buffers)
{
    const auto a = buffers.allocate(4 * shape.m * shape.k, "A");
    if (!a)
        return a.error();
    const auto b = buffers.allocate(4 * shape.k * shape.n, "B");
    if (!b)
        return b.error();
    const auto c = buffers.allocate(4 * shape.m * shape.n, "C");
    if (!c)
        return c.error();
    auto filled = fill<float>(context, *a, shape.m * shape.k, [&](std::uint64_t i) { return factors.a(i); });
    if (filled)
        filled = fill<float>(context, *b, shape.k * shape.n, [&](std::uint64_t i) { return factors.b(i); });
    if (!filled)
        return filled.error();
    return Set{*a, *b, *c};
}

gpu::Sequence sequenceOf(const MatmulShape& shape, const gpu::LoadedProgram* program, const Set& set)
{
    const auto word = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
    gpu::Step made = step(program, shape.kernel(), 1, shape.launchThreads(),
                          {set.a, set.b, set.c, word(shape.m), word(shape.n), word(shape.k)});
    made.launch.grid = shape.launchBlocks();
    return {made};
}

// ---- results --------------------------------------------------------------------------------------------------------

/// The elements that the CPU computes too: all of them, or the first and last rows and columns, where ragged tiles end,
/// and every so-manieth of the others.
class Looked {
public:
    explicit Looked(const MatmulShape& shape) : m_shape(shape)
    {
        const std::uint64_t all = shape.m * shape.n;
        m_every = ceilDiv(all, std::max(kFewest, kReferenceWork / shape.k));
        if (m_every > 1)
            m_every |= 1; // so that the steps visit every column
        m_edgeEvery = std::max<std::uint64_t>(1, (shape.m + shape.n) * shape.k / (kReferenceWork / 4));
    }
    bool at(std::uint64_t row, std::uint64_t column) const
    {
        if (m_every == 1 || (row * m_shape.n + column) % m_every == 0)
            return true;
        const bool edge = row + 1 == m_shape.m || column + 1 == m_shape.n || row == 0 || column == 0;
        return edge && (row + column) % m_edgeEvery == 0;
    }

private:
    const MatmulShape& m_shape;
    std::uint64_t m_every = 1, m_edgeEvery = 1;
};

/// One element as every rung computes it, and as it is.
struct Element {
    float chained = 0;    ///< a chain of fused multiply-adds, k ascending
    double exact = 0;     ///< in FP64
    double magnitude = 0; ///< of the products, added up
};

Element elementAt(const std::vector<float>& a, const std::vector<float>& bColumn, std::uint64_t k)
{
    Element made;
    for (std::uint64_t i = 0; i < k; ++i) {
        const double product = static_cast<double>(a[i]) * static_cast<double>(bColumn[i]); // exact: 48 digits
        made.chained = std::fmaf(a[i], bColumn[i], made.chained);
        made.exact += product;
        made.magnitude += std::fabs(product);
    }
    return made;
}

struct Findings {
    Comparison chained, bounded;
    double worst = 0;
    std::uint64_t unwritten = 0;
};

/// K roundings at most 2^-24 of the sums before them (Higham, Accuracy and Stability of Numerical Algorithms).
double boundOf(const MatmulShape& shape)
{
    const double roundings = static_cast<double>(shape.k) * 0x1p-24;
    return roundings / (1 - roundings);
}

Result<Findings> judge(GpuContext& context, const MatmulShape& shape, const Factors& factors, gpu::DevicePtr c)
{
    Findings found;
    const Looked looked(shape);
    const double bound = boundOf(shape);
    const bool keeps = shape.n * shape.k <= kKept;
    std::vector<std::vector<float>> columns(keeps ? shape.n : 1); // those of B that were needed, or the last one
    std::vector<float> row(shape.k);
    std::uint64_t rowAt = shape.m;
    bool stop = false;
    auto read = readBack<float>(context, c, shape.m * shape.n, [&](std::uint64_t i, float got) {
        found.unwritten += std::isnan(got) ? 1 : 0;
        const std::uint64_t at = i / shape.n, column = i % shape.n;
        if (stop || !looked.at(at, column))
            return;
        if (at != rowAt) {
            stop = context.cancelled();
            for (std::uint64_t j = 0; j < shape.k; ++j)
                row[j] = factors.a(at * shape.k + j);
            rowAt = at;
        }
        auto& ofB = columns[keeps ? column : 0];
        if (!keeps || ofB.empty()) {
            ofB.resize(shape.k);
            for (std::uint64_t j = 0; j < shape.k; ++j)
                ofB[j] = factors.b(j * shape.n + column);
        }
        const Element wanted = elementAt(row, ofB, shape.k);
        const double error = std::fabs(static_cast<double>(got) - wanted.exact);
        found.chained.see(i, got == wanted.chained, got, wanted.chained);
        found.bounded.see(i, error <= bound * wanted.magnitude, static_cast<double>(got), wanted.exact);
        if (wanted.magnitude > 0)
            found.worst = std::max(found.worst, error / wanted.magnitude);
    });
    if (!read)
        return read.error();
    if (stop)
        return Error{"cancelled", "the run was cancelled", "comparing with the CPU", ""};
    return found;
}

void reportFindings(GpuContext& context, const MatmulShape& shape, const Factors& factors, const Findings& found)
{
    found.chained.report(context, factors.integers ? "bit for bit with whole numbers, whose sums have no rounding"
                                                   : "bit for bit with a chain of fused multiply-adds, k ascending");
    found.bounded.report(context, fmt::format("within {:.2g} of the sum of magnitudes, against FP64", boundOf(shape)),
                         "within_error_bound", "the result");
    context.check("all_written", found.unwritten == 0, fmt::format("{} elements are not numbers", found.unwritten));
    context.metric("max_error", found.worst, context.device().info().provenance);
}

// ---- what was counted -----------------------------------------------------------------------------------------------

void reportCounters(GpuContext& context, const MatmulShape& shape, const Execution& done)
{
    const auto by = context.device().info().provenance;
    const double warpFmas = shape.flop() / 2 / 32;
    context.metric("loaded_bytes", shape.loadedBytes(), Provenance::Modelled);
    context.metric("intensity", shape.flop() / shape.loadedBytes(), Provenance::Modelled);
    context.metric("sums", shape.tile.threadRows * shape.tile.threadColumns, Provenance::Modelled);
    if (const auto counters = done.counters()) {
        const auto loaded = static_cast<double>(counters->globalLoadBytes);
        context.metric("load_bytes", loaded, by);
        context.limit("load_bytes", shape.bytes().read);
        context.check("traffic_as_modelled", loaded == shape.loadedBytes(),
                      fmt::format("lanes loaded {:.0f} bytes, the tile sizes say {:.0f}", loaded, shape.loadedBytes()));
        context.metric("sectors_per_fma", static_cast<double>(counters->globalLoadSectors) / warpFmas, by);
        context.metric("passes_per_fma", static_cast<double>(counters->sharedLoadWavefronts) / warpFmas, by);
        context.metric("bank_conflicts", sharedPasses(*counters).conflicts(), by);
    }
    if (const auto& timing = done.heaviest().timing) {
        const auto isLocal = [](const gpu::MachineLine& line) {
            return line.text.starts_with("LDL") || line.text.starts_with("STL");
        };
        context.metric("local_instructions", static_cast<double>(std::ranges::count_if(timing->machine, isLocal)),
                       Provenance::Simulated);
        context.metric("l2_bytes", 32 * static_cast<double>(timing->counters.l1SectorMisses), Provenance::Simulated);
        context.metric("registers", timing->occupancy.registersPerThread, Provenance::Simulated);
        context.metric("occupancy", 100 * timing->occupancy.theoretical, Provenance::Simulated);
    }
}

class MatmulPoint : public LadderPoint {
public:
    MatmulPoint(GpuContext& given, const MatmulShape& shape, const Factors& factors, const gpu::LoadedProgram* program)
        : LadderPoint(given), m_shape(shape), m_factors(factors), m_program(program)
    {
        arm = matmulRungs()[shape.rung].name;
        checkedShare = 0.7;
    }
    Result<gpu::Sequence> makeSet(Buffers& buffers) override
    {
        const auto set = labs::makeSet(context, m_shape, m_factors, buffers);
        if (!set)
            return set.error();
        if (!m_checked)
            m_checked = *set;
        return sequenceOf(m_shape, m_program, *set);
    }
    Result<void> prepare(Buffers&) override { return poison(context, m_checked->c, 4 * m_shape.m * m_shape.n); }
    Result<void> check() override
    {
        const auto found = judge(context, m_shape, m_factors, m_checked->c);
        if (!found)
            return found.error();
        reportFindings(context, m_shape, m_factors, *found);
        return {};
    }
    void report(const Execution& done) override { reportCounters(context, m_shape, done); }
    UsefulBytes bytes() const override { return m_shape.bytes(); }
    std::uint64_t touchedBytes() const override { return static_cast<std::uint64_t>(m_shape.bytes().all()); }
    void reportOwnTime(const Measured& own, std::size_t sets) override;

private:
    const MatmulShape m_shape;
    const Factors m_factors;
    const gpu::LoadedProgram* const m_program;
    std::optional<Set> m_checked;
};

void MatmulPoint::reportOwnTime(const Measured& own, std::size_t sets)
{
    const gpu::DeviceInfo& info = context.device().info();
    reportTime(context, own);
    if (own.timing && own.timing->validity == "valid" && touchedBytes() * sets < 2 * info.l2Bytes)
        context.validity("resident in L2");
    context.metric("rate", m_shape.flop() / own.seconds / 1e12, own.provenance);
    const double clock = own.clockHz > 0 ? own.clockHz : info.boostClockHz;
    const auto peak = peakPerSecond(info, Operation::FmaFp32, clock);
    const double pins = pinBound(info, bytes().read, bytes().written, !own.timing);
    const double fastest = std::max(peak ? m_shape.flop() / *peak : 0, pins > 0 ? bytes().all() / pins : 0);
    if (!(fastest > 0))
        return;
    context.metric("share_of_limit", 100 * fastest / own.seconds, own.provenance);
    context.limit("time", fastest);
    context.limit("rate", m_shape.flop() / fastest / 1e12);
    context.limit("share_of_limit", 100);
}

class Matmul : public LadderExperiment {
public:
    Matmul() : m_info(matmulInfo()) {}
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo&) const override
    {
        const auto shape = matmulShapeOf(params);
        if (!shape)
            return {}; // the run refuses with the reason
        return {matmulRungs()[shape->rung].file};
    }

private:
    Result<std::unique_ptr<LadderPoint>> open(const ParamSet& params, GpuContext& context) const override;
    ExperimentInfo m_info;
};

Result<std::unique_ptr<LadderPoint>> Matmul::open(const ParamSet& params, GpuContext& context) const
{
    const auto shape = matmulShapeOf(params);
    if (!shape)
        return shape.error();
    const Factors factors{choice(params, "data") == "integers", context.rng().nextU32()};
    const auto program = context.kernel(matmulRungs()[shape->rung].file);
    if (!program)
        return program.error();
    return std::unique_ptr<LadderPoint>(std::make_unique<MatmulPoint>(context, *shape, factors, *program));
}

} // namespace

std::unique_ptr<GpuExperiment> makeMatmul()
{
    return std::make_unique<Matmul>();
}

} // namespace ridge::labs
