// SPDX-License-Identifier: GPL-3.0-or-later
// Softmax of rows: how often a kernel reads a row, from three passes down to one.
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/ladder_experiment.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

#include <bit>
#include <cmath>
#include <fmt/core.h>
#include <limits>

namespace ridge::labs {
namespace {

constexpr Rung kRungs[] = {
    {"passes", "a pass over the row for each question", "softmax/01_passes.cu"},
    {"online", "largest number and sum in one pass", "softmax/02_online.cu"},
    {"registers", "the row stays in registers", "softmax/03_registers.cu"},
    {"vector", "16 bytes a lane", "softmax/04_vector.cu"},
};
constexpr const char* kCopyFile = "norm/01_copy.cu"; // what no softmax is faster than
constexpr std::size_t kPasses = 0, kOnline = 1;
constexpr std::uint64_t kThreads = 256; ///< of a block where the row does not decide
constexpr std::uint64_t kOwn = 16;      ///< elements that a thread keeps in registers

struct SoftmaxShape {
    std::size_t rung = 0;
    std::uint64_t columns = 1, rows = 1;
    std::string input;
    std::uint32_t salt = 0;

    std::uint64_t elements() const { return rows * columns; }
    /// Each row in and out once: the owner of the formula.
    UsefulBytes bytes() const { return {static_cast<double>(elements()) * 4, static_cast<double>(elements()) * 4}; }
    bool keepsRow() const { return rung > kOnline; }
    std::uint32_t threads() const
    {
        if (!keepsRow())
            return kThreads;
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(1024, ceilDiv(ceilDiv(columns, kOwn), 32) * 32));
    }
    /// How often an element is loaded, on average.
    double rowReads() const
    {
        if (!keepsRow())
            return rung == kPasses ? 3 : 2;
        const std::uint64_t kept = std::min(columns, kOwn * threads());
        return 1 + static_cast<double>(columns - kept) / static_cast<double>(columns);
    }
    /// Additions that follow one another on the longest way into a sum.
    std::uint64_t chain() const { return ceilDiv(columns, threads()) + kOwn + 10; }

    float x(std::uint64_t i) const
    {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        const std::uint64_t row = i / columns, column = i % columns;
        if (input == "equal")
            return 0.1f;
        if (input == "masked")
            return column <= row % columns ? 0.5f : -kInfinity;
        if (input == "outliers" && i % 997 == 3)
            return i % 2 == 0 ? 1e4f : -1e4f;
        if (input == "specials" && row % 4 == 3)
            return -kInfinity;
        if (input == "specials" && row % 4 > 0 && column == row % columns)
            return row % 4 == 1 ? std::numeric_limits<float>::quiet_NaN() : kInfinity;
        return 8 * uniform(i, salt);
    }
    /// Where all numbers of a row that count are alike, each result is one over their number, to the bit.
    std::optional<float> exact(std::uint64_t i) const
    {
        if (input == "equal")
            return 1.0f / static_cast<float>(columns);
        if (input != "masked")
            return std::nullopt;
        const std::uint64_t counted = i / columns % columns + 1;
        return i % columns < counted ? 1.0f / static_cast<float>(counted) : 0.0f;
    }
};

SoftmaxShape shapeOf(const ParamSet& params, RunContext& context)
{
    SoftmaxShape shape;
    shape.rung = rungOf(kRungs, params);
    shape.columns = integer(params, "columns");
    shape.rows = std::max<std::uint64_t>(1, integer(params, "elements") / shape.columns);
    shape.input = choice(params, "input");
    shape.salt = context.rng().nextU32();
    return shape;
}

// ---- correctness ----------------------------------------------------------------------------------------------------

/// The rows in double precision, one after the other, and what their sums come to.
class Expected {
public:
    explicit Expected(const SoftmaxShape& shape) : m_shape(shape), m_row(shape.columns) {}
    /// Elements must be asked for in order.
    void see(Comparison& comparison, std::uint64_t i, float got)
    {
        const std::uint64_t column = i % m_shape.columns;
        if (column == 0)
            begin(i);
        const auto value = static_cast<double>(got);
        const double wanted = std::exp(m_row[column] - m_most) / m_sum;
        bool right = std::isnan(wanted) ? std::isnan(value)
                                        : std::fabs(value - wanted) <= wanted * (off(m_row[column]) + m_off) + 1e-37;
        if (const auto exact = m_shape.exact(i))
            right = std::bit_cast<std::uint32_t>(got) == std::bit_cast<std::uint32_t>(*exact);
        comparison.see(i, right, value, wanted);
        m_given += value;
        if (column + 1 == m_shape.columns && std::isfinite(m_sum)) {
            m_worstSum = std::max(m_worstSum, std::fabs(m_given - 1));
            m_sumsRight = m_sumsRight && std::fabs(m_given - 1) <= 2 * m_off;
            ++m_sums;
        }
    }
    void report(GpuContext& context) const
    {
        if (m_sums == 0)
            return;
        context.metric("sum_error", m_worstSum, context.device().info().provenance);
        context.check("sums_to_one", m_sumsRight,
                      fmt::format("the sum of a row differs from 1 by {:.2g} at most", m_worstSum));
    }

private:
    /// What e^(x - largest) may be off: 2^-22 by PTX, and its argument, which is rounded and multiplied by log2 e.
    double off(double x) const { return 0x1p-22 * (1 + std::fabs(x - m_most)); }
    void begin(std::uint64_t first)
    {
        m_most = -std::numeric_limits<double>::infinity();
        m_sum = m_given = 0;
        for (std::uint64_t i = 0; i < m_row.size(); ++i) {
            m_row[i] = static_cast<double>(m_shape.x(first + i));
            m_most = std::max(m_most, m_row[i]); // NaN is not larger; the sum has it
        }
        double offs = 0;
        for (const double x : m_row) {
            const double term = std::exp(x - m_most);
            m_sum += term;
            offs += term > 0 ? term * off(x) : 0;
        }
        // Each addition rounds, and may bring the sum to another largest number before.
        m_off = offs / m_sum + static_cast<double>(m_shape.chain()) * (0x1p-22 + 0x1p-24) + 0x1p-22;
    }

    const SoftmaxShape& m_shape;
    std::vector<double> m_row;
    double m_most = 0, m_sum = 0, m_off = 0, m_given = 0, m_worstSum = 0;
    bool m_sumsRight = true;
    std::uint64_t m_sums = 0;
};

// ---- description ----------------------------------------------------------------------------------------------------

std::vector<ParamSpec> parameters()
{
    auto columns = integerParam("columns", "Columns", "elements", 1, 262144, 2048, ParamScale::Log2,
                                "Length of a row; need not be a power of two. The registers of a block hold 16384.");
    columns.defaultFor = {{"gpu", std::int64_t{8192}}};
    columns.sweepFor = {{"sim", "64..131072:log2"}};
    auto elements = integerParam("elements", "Elements", "elements", 1, 1 << 28, 1 << 19, ParamScale::Log2,
                                 "Size of the matrix, about: its rows are whole, and there is at least one.");
    elements.defaultFor = {{"gpu", std::int64_t{1 << 26}}};
    elements.sweepFor = {{"sim", "65536..4194304:log2"}};
    return {
        rungParam(kRungs, "vector"), columns, elements,
        choiceParam("input", "Input", {"uniform", "outliers", "equal", "masked", "specials"}, "uniform",
                    "uniform in [-8, 8); outliers: every 997th is ±10000; equal: all alike; masked: alike up to the "
                    "diagonal, minus infinity beyond, as a causal mask; specials: three rows of four have a NaN, an "
                    "infinity, or nothing but minus infinity, and give NaN.")};
}

std::vector<MetricSpec> metrics()
{
    const MetricSpec own[] = {
        {"row_reads", "Reads of the row", "reads", "How often the kernel loads an element of the row, on average."},
        {"bytes_per_element", "Bytes per element", "bytes",
         "Bytes that lanes loaded and stored in global memory, for each element; 8 is the least."},
        {"instructions_per_element", "Instructions per element", "instructions",
         "PTX instructions that lanes executed, for each element."},
        {"barrier_waits", "Barriers", "instructions", "Block-wide barriers that warps arrived at."},
        {"sum_error", "Error of a row's sum", "1",
         "Largest distance of a row's sum from 1, over rows whose results are numbers."},
        {"share_of_copy", "Share of the copy", "%",
         "Time of a copy of the same rows over that of the rung; both are timed in turn on a GPU."}};
    auto all = ladderMetrics(own, "Bytes of the rows, read once and written once,", "the softmax of all rows");
    addPairMetrics(all, "share_of_copy", "Share of the copy");
    return all;
}

class Softmax : public LadderExperiment {
public:
    Softmax()
    {
        m_info.id = "softmax";
        m_info.version = 1;
        m_info.title = "Softmax";
        m_info.module = 4;
        m_info.summary =
            "Takes the softmax of rows of fp32 with four kernels that read a row three times, twice and once.";
        m_info.parameters = parameters();
        m_info.targets = {"gpu", "sim"};
        m_info.metrics = metrics();
        for (const char* x : {"columns", "elements"})
            m_info.charts.push_back({fmt::format("bandwidth_over_{}", x), fmt::format("Bandwidth over {}", x), x,
                                     "bandwidth", ParamScale::Log2, ParamScale::Linear});
        m_info.charts.push_back({"reads_over_columns", "Reads of the row over columns", "columns", "row_reads",
                                 ParamScale::Log2, ParamScale::Linear});
        m_info.charts.push_back({"bandwidth_by_rung", "Bandwidth by rung", "rung", "bandwidth", ParamScale::List,
                                 ParamScale::Linear, "ladder"});
        m_info.limits = bandwidthLimits("2 × rows × columns × 4 B");
        m_info.limits.push_back(
            {"row_reads", "read once", "lower", "1", "nothing is known of a row that was never read"});
        m_info.limits.push_back({"bytes_per_element", "read once, write once", "lower", "2 × 4 B",
                                 "every element must be read and every result written"});
        m_info.kernels = filesOf(kRungs);
        m_info.kernels.emplace_back(kCopyFile);
        m_info.scenes = launchScenes();
    }
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo&) const override
    {
        return {kRungs[rungOf(kRungs, params)].file, kCopyFile};
    }

private:
    Result<std::unique_ptr<LadderPoint>> open(const ParamSet& params, GpuContext& context) const override;
    ExperimentInfo m_info;
};

class SoftmaxPoint : public LadderPoint {
public:
    SoftmaxPoint(GpuContext& given, SoftmaxShape shape, const gpu::LoadedProgram* program,
                 const gpu::LoadedProgram* copy)
        : LadderPoint(given), m_shape(std::move(shape)), m_program(program), m_copyProgram(copy)
    {
        arm = kRungs[m_shape.rung].name;
    }
    Result<gpu::Sequence> makeSet(Buffers& buffers) override
    {
        const std::uint64_t bytes = m_shape.elements() * 4;
        const auto x = buffers.allocate(bytes, "x");
        if (!x)
            return x.error();
        if (auto done = fill<float>(context, *x, m_shape.elements(), [&](auto i) { return m_shape.x(i); }); !done)
            return done.error();
        const auto y = buffers.allocate(bytes, "y");
        if (!y)
            return y.error();
        if (auto poisoned = poison(context, *y, bytes); !poisoned)
            return poisoned.error();
        if (!m_checked)
            m_checked = *y;
        const std::uint64_t words = 2 * m_shape.elements(); // of the two bytes that the copy counts in
        m_copy.sets.push_back({step(m_copyProgram, "norm_copy", ceilDiv(words, 4 * 8 * 256), 256, {*x, *y, words})});
        return gpu::Sequence{
            step(m_program, fmt::format("softmax_{}", kRungs[m_shape.rung].name), m_shape.rows, m_shape.threads(),
                 {*x, *y, static_cast<std::uint32_t>(m_shape.rows), static_cast<std::uint32_t>(m_shape.columns)})};
    }
    Result<void> prepare(Buffers&) override
    {
        const auto copied = executeReference(context, m_copy.sets[0]);
        if (!copied)
            return copied.error();
        m_simulatedCopy = *copied;
        return poison(context, *m_checked, m_shape.elements() * 4);
    }
    std::vector<gpu::Arm> references() override
    {
        return m_simulatedCopy ? std::vector<gpu::Arm>{} : std::vector<gpu::Arm>{m_copy};
    }
    void reportTimes(const std::vector<Measured>& measured) override
    {
        reportShare(context, "share_of_copy", measured.front(), referenceTime(m_simulatedCopy, measured));
    }
    Result<void> check() override
    {
        Comparison comparison;
        Expected expected(m_shape);
        const auto seen = readBack<float>(context, *m_checked, m_shape.elements(),
                                          [&](std::uint64_t i, float got) { expected.see(comparison, i, got); });
        if (!seen)
            return seen;
        comparison.report(context, m_shape.exact(0) ? "one over the number of equal elements, bit for bit"
                                                    : "with double precision, within the errors of e^x and of the sum");
        expected.report(context);
        return {};
    }
    void report(const Execution& done) override
    {
        context.metric("row_reads", m_shape.rowReads(), Provenance::Modelled);
        context.limit("row_reads", 1);
        const auto counters = done.counters();
        if (!counters)
            return;
        const auto by = context.device().info().provenance;
        const auto elements = static_cast<double>(m_shape.elements());
        const auto touched = static_cast<double>(counters->globalLoadBytes + counters->globalStoreBytes);
        context.metric("bytes_per_element", touched / elements, by);
        context.limit("bytes_per_element", 8);
        context.metric("instructions_per_element", static_cast<double>(counters->threadInstExecuted) / elements, by);
        context.metric("barrier_waits", static_cast<double>(counters->barriers), by);
    }
    UsefulBytes bytes() const override { return m_shape.bytes(); }
    std::uint64_t touchedBytes() const override { return 8 * m_shape.elements(); }

private:
    const SoftmaxShape m_shape;
    const gpu::LoadedProgram* const m_program;
    const gpu::LoadedProgram* const m_copyProgram;
    gpu::Arm m_copy{"copy", {}};
    std::optional<double> m_simulatedCopy;
    std::optional<gpu::DevicePtr> m_checked;
};

Result<std::unique_ptr<LadderPoint>> Softmax::open(const ParamSet& params, GpuContext& context) const
{
    SoftmaxShape shape = shapeOf(params, context);
    const auto program = context.kernel(kRungs[shape.rung].file);
    if (!program)
        return program.error();
    const auto copy = context.kernel(kCopyFile);
    if (!copy)
        return copy.error();
    return std::unique_ptr<LadderPoint>(std::make_unique<SoftmaxPoint>(context, std::move(shape), *program, *copy));
}

} // namespace

std::unique_ptr<GpuExperiment> makeSoftmax()
{
    return std::make_unique<Softmax>();
}

} // namespace ridge::labs
