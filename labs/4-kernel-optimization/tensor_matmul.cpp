// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/grid_trace.h"
#include "gpu/simt/machine/machine_kernel.h"
#include "labs/4-kernel-optimization/tensor_matmul_fragments.h"
#include "labs/4-kernel-optimization/tensor_matmul_info.h"
#include "labs/catalogue.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/ladder_experiment.h"
#include "labs/harness/pipe_rates.h"
#include "labs/harness/small_formats.h"
#include "labs/harness/vendor_arm.h"

#include <cmath>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr std::uint64_t kReferenceWork = 1ull << 27; // multiply-adds in FP64 at most, but for four rows and a column
constexpr std::uint64_t kFewestRows = 4;
constexpr double kBound = 1e-6; ///< of the sum of the products' magnitudes
/// Of the dense peak, for mma.sync on compute capability 9.0: Luo et al., Benchmarking and Dissecting the Nvidia Hopper
/// GPU Architecture, 2024. Its tensor cores give their full rate to wgmma alone.
constexpr double kHopperMma = 0.629;

/// Both factors as the device holds them, and their values.
class Factors {
public:
    Factors(const TensorMatmulShape& shape, std::uint32_t salt)
        : m_shape(shape), m_salt(salt), m_a(shape.m * shape.k), m_b(shape.k * shape.n)
    {
        const SmallFormat& format = shape.bf16 ? kBf16 : kFp16;
        for (std::uint32_t bits = 0; bits < m_values.size(); ++bits)
            m_values[bits] = static_cast<float>(valueOf(format, bits));
        const auto element = [&](std::uint64_t i, std::uint32_t of) {
            const double value = shape.integers ? static_cast<double>(mixed(i, of) % 5) - 2 : double{uniform(i, of)};
            return static_cast<std::uint16_t>(roundTo(format, value));
        };
        for (std::uint64_t i = 0; i < m_a.size(); ++i)
            m_a[i] = element(i, m_salt);
        for (std::uint64_t i = 0; i < m_b.size(); ++i)
            m_b[i] = element(i, m_salt + 0x51ED270Bu);
    }
    std::span<const std::byte> a() const { return std::as_bytes(std::span(m_a)); }
    std::span<const std::byte> b() const { return std::as_bytes(std::span(m_b)); }
    double a(std::uint64_t row, std::uint64_t at) const { return double{m_values[m_a[row * m_shape.k + at]]}; }
    double b(std::uint64_t at, std::uint64_t column) const
    {
        return double{m_values[m_b[m_shape.byK ? at * m_shape.n + column : column * m_shape.k + at]]};
    }

private:
    const TensorMatmulShape m_shape;
    const std::uint32_t m_salt;
    std::vector<float> m_values = std::vector<float>(1u << 16);
    std::vector<std::uint16_t> m_a, m_b;
};

struct Set {
    gpu::DevicePtr a, b, c;
};

Result<Set> makeSet(GpuContext& context, const TensorMatmulShape& shape, const Factors& factors, Buffers& buffers)
{
    Set set;
    for (const bool second : {false, true}) {
        const auto bytes = second ? factors.b() : factors.a();
        const auto made = buffers.allocate(bytes.size(), second ? "B" : "A");
        if (!made)
            return made.error();
        if (auto copied = context.device().copyToDevice(*made, bytes); !copied)
            return copied.error();
        (second ? set.b : set.a) = *made;
    }
    const auto made = buffers.allocate(4 * shape.m * shape.n, "C");
    if (!made)
        return made.error();
    set.c = *made;
    if (auto poisoned = poison(context, set.c, 4 * shape.m * shape.n); !poisoned)
        return poisoned.error();
    return set;
}

gpu::Sequence sequenceOf(const TensorMatmulShape& shape, const gpu::LoadedProgram* program, const Set& set)
{
    auto made = step(program, shape.kernel(), shape.blockColumns(), shape.threads(),
                     {set.a, set.b, set.c, static_cast<std::uint32_t>(shape.m), static_cast<std::uint32_t>(shape.n),
                      static_cast<std::uint32_t>(shape.k), copyWidth(shape.k), copyWidth(shape.rowOfB())});
    made.launch.grid.y = static_cast<std::uint32_t>(shape.blockRows());
    return {made};
}

// ---- correctness ----------------------------------------------------------------------------------------------------

/// Elements held against FP64 one by one, and what is seen of all of them.
struct Findings {
    Comparison comparison;
    double largestShare = 0;
    std::uint64_t notNumbers = 0;
};

class Judge {
public:
    Judge(GpuContext& context, const TensorMatmulShape& shape, const Factors& factors)
        : m_context(context), m_shape(shape), m_factors(factors)
    {
    }
    Result<Findings> judge(gpu::DevicePtr c)
    {
        std::vector<float> got(m_shape.m * m_shape.n);
        Findings found;
        auto read = readBack<float>(m_context, c, got.size(), [&](std::uint64_t i, float value) {
            got[i] = value;
            found.notNumbers += std::isfinite(value) ? 0 : 1;
        });
        if (!read)
            return read.error();
        const std::uint64_t rows = std::min(m_shape.m, std::max(kFewestRows, kReferenceWork / (m_shape.n * m_shape.k)));
        for (std::uint64_t i = 0; i < rows; ++i) {
            if (m_context.cancelled())
                return Error{"cancelled", "the run was cancelled", "comparing with FP64", ""};
            seeRow(rows == 1 ? 0 : i * (m_shape.m - 1) / (rows - 1), got, found);
        }
        if (rows == m_shape.m)
            return found;
        for (std::uint64_t row = 0; row < m_shape.m; ++row) { // the last column of the ragged tile
            double wanted = 0, magnitude = 0;
            for (std::uint64_t at = 0; at < m_shape.k; ++at) {
                const double product = m_factors.a(row, at) * m_factors.b(at, m_shape.n - 1);
                wanted += product;
                magnitude += std::fabs(product);
            }
            see(row, m_shape.n - 1, wanted, magnitude, got, found);
        }
        return found;
    }
    std::string how() const
    {
        return m_shape.integers ? "bit for bit" : "with FP64, within 1e-6 of the sum of magnitudes";
    }

private:
    void seeRow(std::uint64_t row, const std::vector<float>& got, Findings& found)
    {
        std::vector<double> wanted(m_shape.n), magnitudes(m_shape.n);
        const auto add = [&](std::uint64_t at, std::uint64_t column, double a) {
            const double product = a * m_factors.b(at, column);
            wanted[column] += product;
            magnitudes[column] += std::fabs(product);
        };
        if (m_shape.byK) { // in the order in which B lies in memory
            for (std::uint64_t at = 0; at < m_shape.k; ++at)
                for (std::uint64_t column = 0; column < m_shape.n; ++column)
                    add(at, column, m_factors.a(row, at));
        } else {
            for (std::uint64_t column = 0; column < m_shape.n; ++column)
                for (std::uint64_t at = 0; at < m_shape.k; ++at)
                    add(at, column, m_factors.a(row, at));
        }
        for (std::uint64_t column = 0; column < m_shape.n; ++column)
            see(row, column, wanted[column], magnitudes[column], got, found);
    }
    void see(std::uint64_t row, std::uint64_t column, double wanted, double magnitude, const std::vector<float>& got,
             Findings& found) const
    {
        const std::uint64_t i = row * m_shape.n + column;
        const double off = std::fabs(double{got[i]} - wanted);
        // Integers: every partial sum is below 2^24, so FP32 holds it whatever the order.
        found.comparison.see(i, off <= (m_shape.integers ? 0 : kBound * magnitude), double{got[i]}, wanted);
        if (off > 0 && magnitude > 0)
            found.largestShare = std::max(found.largestShare, off / (kBound * magnitude));
    }

    GpuContext& m_context;
    const TensorMatmulShape& m_shape;
    const Factors& m_factors;
};

// ---- cuBLAS ---------------------------------------------------------------------------------------------------------

/// The vendor's product on the same buffers.
Result<void> findCublas(VendorArm& cublas, GpuContext& context, const TensorMatmulShape& shape, const Factors& factors,
                        const Set& set)
{
    if (shape.byK) {
        context.log("without cuBLAS: its product here takes B column by column; set layout=nk");
        return {};
    }
    const auto in = shape.bf16 ? gpu::MatrixFormat::Bf16 : gpu::MatrixFormat::Fp16;
    const auto wipe = [&] { return poison(context, set.c, 4 * shape.m * shape.n); };
    const auto judge = [&](const std::string& check, const std::string& who) -> Result<bool> {
        Judge by(context, shape, factors);
        const auto found = by.judge(set.c);
        if (!found)
            return found.error();
        found->comparison.report(context, by.how(), check.c_str(), who);
        return found->comparison.passed();
    };
    return cublas.find(context,
                       gpu::MatrixProduct{in, gpu::MatrixFormat::Fp32, shape.m, shape.n, shape.k, set.a, set.b, set.c},
                       {set.a, set.b, set.c}, {wipe, judge});
}

// ---- numbers --------------------------------------------------------------------------------------------------------

/// What mma.sync can reach of the dense peak; nothing where nobody has published it.
std::optional<double> mmaShareOfPeak(const gpu::DeviceInfo& info)
{
    if (info.computeMajor == 10 || info.computeMajor == 11)
        return std::nullopt; // tcgen05 has the peak, and mma.sync some part of it
    return info.computeMajor == 9 ? kHopperMma : 1.0;
}

void reportCounts(GpuContext& context, const TensorMatmulShape& shape, const Execution& done)
{
    const double products = shape.products();
    context.metric("flop", shape.flop(), Provenance::Modelled);
    context.metric("mma_instructions", products, Provenance::Modelled);
    context.metric("copy_bytes", shape.tensor() ? std::min(copyWidth(shape.k), copyWidth(shape.rowOfB())) : 2,
                   Provenance::Modelled);
    if (shape.tensor())
        context.metric("tile_use", 100 * shape.flop() / (4096 * products), Provenance::Modelled);
    const auto by = context.device().info().provenance;
    if (const auto counters = done.counters()) {
        context.metric("load_requests", static_cast<double>(counters->globalLoadRequests), by);
        const SharedPasses passes = sharedPasses(*counters);
        context.metric("bank_conflicts", passes.conflicts(), by);
        if (passes.fewest > 0) {
            context.metric("conflict_degree", static_cast<double>(passes.taken) / static_cast<double>(passes.fewest),
                           by);
            context.limit("conflict_degree", 1);
        }
    }
    const auto& timing = done.heaviest().timing;
    if (!timing)
        return;
    const auto issued =
        static_cast<double>(timing->counters.pipeInstructions[static_cast<std::size_t>(gpu::simt::Pipe::Tensor)]);
    context.metric("tensor_share", 100 * issued / static_cast<double>(timing->counters.instIssued), by);
    if (!timing->extrapolation.used)
        context.check("mma_instructions_counted", issued == products,
                      fmt::format("{:.0f} went to the tensor pipe, {:.0f} by the tiles", issued, products));
}

void reportRate(GpuContext& context, const TensorMatmulShape& shape, const Measured& time)
{
    const gpu::DeviceInfo& info = context.device().info();
    const double rate = shape.flop() / time.seconds;
    context.metric("rate", rate / 1e12, time.provenance);
    const auto operation = shape.bf16 ? Operation::MmaBf16 : Operation::MmaFp16;
    const auto dense = peakPerSecond(info, operation, time.clockHz);
    const auto share = mmaShareOfPeak(info);
    if (dense) {
        context.metric("peak_share", 100 * rate / *dense, time.provenance);
        context.limit("peak_share", 100);
    }
    if (dense && share) {
        context.metric("mma_peak", *share * *dense / 1e12, Provenance::Modelled);
        context.metric("mma_share", 100 * rate / (*share * *dense), time.provenance);
        context.limit("mma_share", 100);
    }
    const auto own = shape.tensor() ? (dense && share ? std::optional(*share * *dense) : std::nullopt)
                                    : peakPerSecond(info, Operation::FmaFp32, time.clockHz);
    if (!own)
        return;
    context.limit("rate", *own / 1e12);
    const double bound = pinBound(info, shape.bytes().read, shape.bytes().written, !time.timing);
    context.limit("time", std::max(shape.flop() / *own, bound > 0 ? shape.bytes().all() / bound : 0));
}

Result<void> refuse(const TensorMatmulShape& shape, const gpu::DeviceInfo& info)
{
    if (!shape.tensor() || info.computeMajor >= 8)
        return {};
    return Error{"needs-newer-chip",
                 fmt::format("{} has compute capability {}.{}; mma.m16n8k16 needs 8.0", info.name, info.computeMajor,
                             info.computeMinor),
                 fmt::format("tensor_matmul: rung={}", tensorMatmulRungs()[shape.rung].name),
                 "choose rung=cuda_cores, or run it on sim:a100-sxm-80"};
}

// ---- the experiment -------------------------------------------------------------------------------------------------

class TensorMatmul : public LadderExperiment {
public:
    TensorMatmul() : m_info(tensorMatmulInfo()) {}
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo& info) const override
    {
        const TensorMatmulShape shape = tensorMatmulShapeOf(params);
        if (!refuse(shape, info))
            return {}; // the run refuses with the reason
        std::vector<std::string> files{tensorMatmulRungs()[shape.rung].file};
        if (shape.tensor())
            files.emplace_back(kFragmentsKernel);
        return files;
    }

private:
    Result<std::unique_ptr<LadderPoint>> open(const ParamSet& params, GpuContext& context) const override;
    ExperimentInfo m_info;
};

class TensorMatmulPoint : public LadderPoint {
public:
    TensorMatmulPoint(GpuContext& given, const TensorMatmulShape& shape, std::uint32_t salt, bool wantsCublas,
                      const gpu::LoadedProgram* program)
        : LadderPoint(given), m_shape(shape), m_factors(shape, salt), m_wantsCublas(wantsCublas), m_program(program)
    {
        arm = tensorMatmulRungs()[shape.rung].name;
        checkedShare = 0.6;
    }
    Result<gpu::Sequence> makeSet(Buffers& buffers) override
    {
        const auto set = labs::makeSet(context, m_shape, m_factors, buffers);
        if (!set)
            return set.error();
        if (!m_checked)
            m_checked = *set;
        m_cublas.addSet({set->a, set->b, set->c});
        return sequenceOf(m_shape, m_program, *set);
    }
    Result<void> prepare(Buffers&) override
    {
        if (m_shape.tensor() && context.wantsTrace()) {
            const auto owners = askFragments(context);
            if (!owners)
                return owners.error();
            context.check("fragments_complete", complete(*owners),
                          "every element of A, B and C is with one lane, once");
            if (complete(*owners))
                context.trace(GridTrace::kKind, fragmentPicture(*owners));
        }
        if (!m_wantsCublas)
            return {};
        if (auto found = findCublas(m_cublas, context, m_shape, m_factors, *m_checked); !found)
            return found;
        return poison(context, m_checked->c, 4 * m_shape.m * m_shape.n);
    }
    Result<void> check() override
    {
        Judge judge(context, m_shape, m_factors);
        const auto found = judge.judge(m_checked->c);
        if (!found)
            return found.error();
        found->comparison.report(context, judge.how());
        context.check("all_finite", found->notNumbers == 0,
                      fmt::format("{} elements are no finite number", found->notNumbers));
        context.metric("error_share", 100 * found->largestShare, context.device().info().provenance);
        return {};
    }
    void report(const Execution& done) override { reportCounts(context, m_shape, done); }
    UsefulBytes bytes() const override { return m_shape.bytes(); }
    std::uint64_t touchedBytes() const override { return static_cast<std::uint64_t>(m_shape.bytes().all()); }
    std::vector<gpu::Arm> references() override { return m_cublas.arms(); }
    void reportTimes(const std::vector<Measured>& measured) override
    {
        reportRate(context, m_shape, measured.front());
        if (measured.size() > 1)
            reportShare(context, "cublas_share", measured.front(), measured[1]);
    }

private:
    const TensorMatmulShape m_shape;
    const Factors m_factors;
    const bool m_wantsCublas;
    const gpu::LoadedProgram* const m_program;
    VendorArm m_cublas{"cublas"};
    std::optional<Set> m_checked;
};

Result<std::unique_ptr<LadderPoint>> TensorMatmul::open(const ParamSet& params, GpuContext& context) const
{
    const TensorMatmulShape shape = tensorMatmulShapeOf(params);
    if (auto runs = refuse(shape, context.device().info()); !runs)
        return runs.error();
    const std::uint32_t salt = context.rng().nextU32();
    const auto program = context.kernel(tensorMatmulRungs()[shape.rung].file);
    if (!program)
        return program.error();
    return std::unique_ptr<LadderPoint>(
        std::make_unique<TensorMatmulPoint>(context, shape, salt, choice(params, "reference") == "cublas", *program));
}

} // namespace

std::unique_ptr<GpuExperiment> makeTensorMatmul()
{
    return std::make_unique<TensorMatmul>();
}

} // namespace ridge::labs
