// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/bfloat16.h"
#include "labs/4-kernel-optimization/norm_info.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/ladder_experiment.h"
#include "labs/harness/vendor_arm.h"

#include <cmath>

namespace ridge::labs {
namespace {

/// What the buffers hold.
struct Contents {
    std::string input;
    std::uint32_t salt = 0;

    std::uint16_t x(std::uint64_t i) const
    {
        if (input == "equal")
            return toBf16(0.1f);
        if (input == "outliers" && i % 997 == 3)
            return toBf16(i % 2 == 0 ? 1e4f : -1e4f);
        return toBf16(uniform(i, salt) + (input == "offset" ? 100.0f : 0.0f));
    }
    std::uint16_t weight(std::uint64_t i) const { return toBf16(1 + uniform(i, salt + 1) / 2); }
    std::uint16_t bias(std::uint64_t i) const { return toBf16(uniform(i, salt + 2)); }
};

struct Set {
    gpu::DevicePtr x, weight, bias, y;
};

Result<Set> makeSet(GpuContext& context, const NormShape& shape, const Contents& contents, Buffers& buffers)
{
    Set set;
    const auto filled = [&](gpu::DevicePtr& to, std::uint64_t count, const char* label, auto element) -> Result<void> {
        const auto made = buffers.allocate(2 * count, label);
        if (!made)
            return made.error();
        to = *made;
        return fill<std::uint16_t>(context, to, count, element);
    };
    if (auto done = filled(set.x, shape.elements(), "x", [&](auto i) { return contents.x(i); }); !done)
        return done.error();
    if (auto done = filled(set.weight, shape.columns, "weights", [&](auto i) { return contents.weight(i); }); !done)
        return done.error();
    if (auto done = filled(set.bias, shape.columns, "biases", [&](auto i) { return contents.bias(i); }); !done)
        return done.error();
    const auto y = buffers.allocate(shape.rowsBytes(), "y");
    if (!y)
        return y.error();
    set.y = *y;
    if (auto poisoned = poison(context, set.y, shape.rowsBytes()); !poisoned)
        return poisoned.error();
    return set;
}

gpu::Sequence sequenceOf(const NormShape& shape, const gpu::LoadedProgram* program, const Set& set)
{
    std::vector<gpu::KernelArg> args;
    if (shape.rung == kNormCopy) {
        args = {set.x, set.y, shape.elements()};
    } else {
        args = {set.x, set.weight};
        if (shape.layer)
            args.emplace_back(set.bias);
        args.insert(args.end(), {set.y, static_cast<std::uint32_t>(shape.rows),
                                 static_cast<std::uint32_t>(shape.columns), static_cast<float>(kNormEpsilon)});
    }
    auto made = step(program, shape.kernel(), shape.blocks(), shape.threads(), std::move(args));
    if (shape.cluster() > 1)
        made.launch.cluster = {shape.cluster(), 1, 1};
    return {made};
}

// ---- correctness ----------------------------------------------------------------------------------------------------

/// The rows in double precision, one after the other. `chain` is of the sums that are compared with them.
class Expected {
public:
    Expected(const NormShape& shape, const Contents& contents, std::uint64_t chain)
        : m_shape(shape), m_contents(contents), m_chain(chain)
    {
        for (std::uint64_t i = 0; i < shape.columns; ++i) {
            m_weights.push_back(fromBf16(contents.weight(i)));
            m_biases.push_back(shape.layer ? fromBf16(contents.bias(i)) : 0);
        }
        m_row.resize(shape.columns);
    }
    /// Elements must be asked for in order.
    void see(Comparison& comparison, std::uint64_t index, std::uint16_t got)
    {
        if (m_shape.rung == kNormCopy)
            return comparison.see(index, got == m_contents.x(index), got, m_contents.x(index));
        const std::uint64_t column = index % m_shape.columns;
        if (column == 0)
            begin(index);
        const double x = m_row[column], weight = m_weights[column];
        const double wanted = (x - m_mean) * m_scale * weight + m_biases[column];
        // The result is rounded to bf16; sums of `chain` additions, each rounded a few times, stand behind it.
        const double rounding = 4 * static_cast<double>(m_chain) * 0x1p-24;
        const double tolerance =
            0x1p-8 * std::fabs(wanted) + rounding * (std::fabs(x) + m_meanSize) * m_scale * std::fabs(weight);
        const double value = fromBf16(got);
        comparison.see(index, std::fabs(value - wanted) <= tolerance, value, wanted);
    }

private:
    void begin(std::uint64_t first)
    {
        const auto columns = static_cast<double>(m_shape.columns);
        double sum = 0, size = 0, squares = 0;
        for (std::uint64_t i = 0; i < m_shape.columns; ++i) {
            m_row[i] = fromBf16(m_contents.x(first + i));
            sum += static_cast<double>(m_row[i]);
            size += static_cast<double>(std::fabs(m_row[i]));
        }
        m_mean = m_shape.layer ? sum / columns : 0;
        m_meanSize = m_shape.layer ? size / columns : 0;
        for (const float x : m_row)
            squares += (static_cast<double>(x) - m_mean) * (static_cast<double>(x) - m_mean);
        m_scale = 1 / std::sqrt(squares / columns + kNormEpsilon);
    }

    const NormShape& m_shape;
    const Contents& m_contents;
    std::uint64_t m_chain;
    std::vector<double> m_weights, m_biases;
    std::vector<float> m_row;
    double m_mean = 0, m_meanSize = 0, m_scale = 1;
};

Result<void> compare(GpuContext& context, const NormShape& shape, const Contents& contents, gpu::DevicePtr y,
                     std::uint64_t chain, Comparison& comparison)
{
    Expected expected(shape, contents, chain);
    return readBack<std::uint16_t>(context, y, shape.elements(),
                                   [&](std::uint64_t i, std::uint16_t got) { expected.see(comparison, i, got); });
}

Result<void> checkOutput(GpuContext& context, const NormShape& shape, const Contents& contents, gpu::DevicePtr y)
{
    Comparison comparison;
    auto seen = compare(context, shape, contents, y, shape.chain(), comparison);
    if (seen)
        comparison.report(context,
                          shape.rung == kNormCopy ? "bit for bit" : "with double precision, within one step of bf16");
    return seen;
}

// ---- cuDNN ---------------------------------------------------------------------------------------------------------

std::vector<gpu::KernelArg> cudnnBuffers(const NormShape& shape, const Set& set)
{
    return shape.layer ? std::vector<gpu::KernelArg>{set.x, set.weight, set.bias, set.y}
                       : std::vector<gpu::KernelArg>{set.x, set.weight, set.y};
}

/// cuDNN on the same rows.
Result<void> findCudnn(VendorArm& cudnn, GpuContext& context, const NormShape& shape, const Contents& contents,
                       const Set& set)
{
    const auto wipe = [&] { return poison(context, set.y, shape.rowsBytes()); };
    const auto judge = [&](const std::string& check, const std::string& who) -> Result<bool> {
        // In which order it adds is not known; no warp of its own does so with fewer lanes than that of our rung.
        NormShape warp = shape;
        warp.rung = kNormWarp;
        Comparison comparison;
        if (auto seen = compare(context, shape, contents, set.y, warp.chain(), comparison); !seen)
            return seen.error();
        comparison.report(context, "with double precision, within one step of bf16", check.c_str(), who);
        return comparison.passed();
    };
    return cudnn.find(context,
                      gpu::RowNorm{shape.layer, shape.rows, shape.columns, static_cast<float>(kNormEpsilon), set.x,
                                   set.weight, set.bias, set.y},
                      cudnnBuffers(shape, set), {wipe, judge});
}

// ---- numbers --------------------------------------------------------------------------------------------------------

void reportWork(GpuContext& context, const NormShape& shape, const Execution& done)
{
    context.metric("row_reads", shape.rowReads(), Provenance::Modelled);
    context.limit("row_reads", 1);
    const auto counters = done.counters();
    if (!counters)
        return;
    const auto by = context.device().info().provenance;
    const auto elements = static_cast<double>(shape.elements());
    const auto touched = static_cast<double>(counters->globalLoadBytes + counters->globalStoreBytes);
    context.metric("bytes_per_element", touched / elements, by);
    context.limit("bytes_per_element", 4);
    context.metric("instructions_per_element", static_cast<double>(counters->threadInstExecuted) / elements, by);
    context.metric("barrier_waits", static_cast<double>(counters->barriers), by);
}

class Norm : public LadderExperiment {
public:
    Norm() : m_info(normInfo()) {}
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo& info) const override
    {
        const std::size_t rung = rungOf(normRungs(), params);
        if (!normRuns(rung, info))
            return {}; // the run refuses with the reason
        return {normRungs()[rung].file, normRungs()[kNormCopy].file};
    }

private:
    Result<std::unique_ptr<LadderPoint>> open(const ParamSet& params, GpuContext& context) const override;
    ExperimentInfo m_info;
};

class NormPoint : public LadderPoint {
public:
    NormPoint(GpuContext& given, const NormShape& shape, Contents contents, bool wantsCudnn,
              const gpu::LoadedProgram* program, const gpu::LoadedProgram* copy)
        : LadderPoint(given), m_shape(shape), m_copyShape(shape), m_contents(std::move(contents)),
          m_wantsCudnn(wantsCudnn), m_program(program), m_copyProgram(copy)
    {
        m_copyShape.rung = kNormCopy;
        arm = normRungs()[shape.rung].name;
        checkedShare = 0.6;
    }
    Result<gpu::Sequence> makeSet(Buffers& buffers) override
    {
        const auto set = labs::makeSet(context, m_shape, m_contents, buffers);
        if (!set)
            return set.error();
        if (!m_checked)
            m_checked = *set;
        m_copy.sets.push_back(sequenceOf(m_copyShape, m_copyProgram, *set));
        m_cudnn.addSet(cudnnBuffers(m_shape, *set));
        return sequenceOf(m_shape, m_program, *set);
    }
    Result<void> prepare(Buffers&) override
    {
        const auto copied = executeReference(context, m_copy.sets[0]);
        if (!copied)
            return copied.error();
        m_simulatedCopy = *copied;
        context.progress(0.3, "copied");
        if (m_wantsCudnn)
            if (auto found = findCudnn(m_cudnn, context, m_shape, m_contents, *m_checked); !found)
                return found;
        return poison(context, m_checked->y, m_shape.rowsBytes());
    }
    Result<void> check() override { return checkOutput(context, m_shape, m_contents, m_checked->y); }
    void report(const Execution& done) override { reportWork(context, m_shape, done); }
    UsefulBytes bytes() const override { return m_shape.bytes(); }
    std::uint64_t touchedBytes() const override { return 2 * m_shape.rowsBytes(); }
    std::vector<gpu::Arm> references() override
    {
        std::vector<gpu::Arm> arms = m_cudnn.arms();
        if (!m_simulatedCopy)
            arms.push_back(m_copy);
        return arms;
    }
    void reportTimes(const std::vector<Measured>& measured) override
    {
        const Measured& own = measured.front();
        reportShare(context, "share_of_copy", own, referenceTime(m_simulatedCopy, measured));
        if (!m_cudnn)
            return;
        const Measured& theirs = measured[1];
        context.metric("cudnn_bandwidth", m_shape.bytes().all() / theirs.seconds / 1e9, theirs.provenance);
        reportShare(context, "cudnn_share", own, theirs);
    }

private:
    const NormShape m_shape;
    NormShape m_copyShape;
    const Contents m_contents;
    const bool m_wantsCudnn;
    const gpu::LoadedProgram* const m_program;
    const gpu::LoadedProgram* const m_copyProgram;
    gpu::Arm m_copy{"copy", {}};
    VendorArm m_cudnn{"cudnn"};
    std::optional<Set> m_checked;
    std::optional<double> m_simulatedCopy;
};

Result<std::unique_ptr<LadderPoint>> Norm::open(const ParamSet& params, GpuContext& context) const
{
    const NormShape shape = normShapeOf(params, context.device().info());
    if (auto runs = normRuns(shape.rung, context.device().info()); !runs)
        return runs.error();
    Contents contents{choice(params, "input"), context.rng().nextU32()};
    const auto program = context.kernel(normRungs()[shape.rung].file);
    if (!program)
        return program.error();
    const auto copyProgram = context.kernel(normRungs()[kNormCopy].file);
    if (!copyProgram)
        return copyProgram.error();
    const bool wantsCudnn = choice(params, "reference") == "cudnn" && shape.rung != kNormCopy;
    return std::unique_ptr<LadderPoint>(
        std::make_unique<NormPoint>(context, shape, std::move(contents), wantsCudnn, *program, *copyProgram));
}

} // namespace

std::unique_ptr<GpuExperiment> makeNorm()
{
    return std::make_unique<Norm>();
}

} // namespace ridge::labs
