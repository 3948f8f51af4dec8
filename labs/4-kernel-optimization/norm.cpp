// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/4-kernel-optimization/norm_info.h"
#include "labs/catalogue.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/vendor_arm.h"

#include <bit>
#include <cmath>

namespace ridge::labs {
namespace {

float fromBf16(std::uint16_t bits)
{
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

/// To nearest even, of a finite number.
std::uint16_t toBf16(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

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

Result<Set> makeSet(RunContext& context, const NormShape& shape, const Contents& contents, Buffers& buffers)
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

Result<void> compare(RunContext& context, const NormShape& shape, const Contents& contents, gpu::DevicePtr y,
                     std::uint64_t chain, Comparison& comparison)
{
    Expected expected(shape, contents, chain);
    return readBack<std::uint16_t>(context, y, shape.elements(),
                                   [&](std::uint64_t i, std::uint16_t got) { expected.see(comparison, i, got); });
}

Result<void> checkOutput(RunContext& context, const NormShape& shape, const Contents& contents, gpu::DevicePtr y)
{
    Comparison comparison;
    auto seen = compare(context, shape, contents, y, shape.chain(), comparison);
    if (seen)
        comparison.report(context,
                          shape.rung == kNormCopy ? "bit for bit" : "with double precision, within one step of bf16");
    return seen;
}

// ---- cuDNN ---------------------------------------------------------------------------------------------------------

/// cuDNN on the same rows. Null where there is none, or where what it gives is wrong, which is no reference.
struct Cudnn {
    std::unique_ptr<gpu::LoadedProgram> way;
    gpu::Arm arm{"cudnn", {}};
};

gpu::Sequence cudnnOn(const NormShape& shape, const gpu::LoadedProgram& way, const Set& set)
{
    return {vendorStep(way, shape.layer ? std::vector<gpu::KernelArg>{set.x, set.weight, set.bias, set.y}
                                        : std::vector<gpu::KernelArg>{set.x, set.weight, set.y})};
}

Result<Cudnn> tryCudnn(RunContext& context, const NormShape& shape, const Contents& contents, const Set& set)
{
    Cudnn cudnn;
    auto way = vendorWay(context, gpu::RowNorm{shape.layer, shape.rows, shape.columns, static_cast<float>(kNormEpsilon),
                                               set.x, set.weight, set.bias, set.y});
    if (!way)
        return way.error();
    if (!*way)
        return cudnn;
    if (auto poisoned = poison(context, set.y, shape.rowsBytes()); !poisoned)
        return poisoned.error();
    const gpu::Sequence sequence = cudnnOn(shape, **way, set);
    if (auto ran = executeReference(context, sequence); !ran)
        return ran.error();
    // In which order it adds is not known; no warp of its own does so with fewer lanes than that of our rung.
    NormShape warp = shape;
    warp.rung = kNormWarp;
    Comparison comparison;
    if (auto seen = compare(context, shape, contents, set.y, warp.chain(), comparison); !seen)
        return seen.error();
    const std::string& name = (*way)->program().name;
    comparison.report(context, "with double precision, within one step of bf16", "cudnn_matches_reference", name);
    if (!comparison.passed()) {
        context.log("without a vendor's reference: " + name + " gives wrong results");
        return cudnn;
    }
    context.log("reference: " + name);
    cudnn.way = std::move(*way);
    cudnn.arm.sets.push_back(sequence);
    return cudnn;
}

// ---- numbers --------------------------------------------------------------------------------------------------------

void reportWork(RunContext& context, const NormShape& shape, const Execution& done)
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

class Norm : public Experiment {
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
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> Norm::run(const ParamSet& params, RunContext& context) const
{
    gpu::Device& device = context.device();
    const NormShape shape = normShapeOf(params, device.info());
    if (auto runs = normRuns(shape.rung, device.info()); !runs)
        return runs;
    NormShape copyShape = shape;
    copyShape.rung = kNormCopy;
    const Contents contents{choice(params, "input"), context.rng().nextU32()};
    const auto program = context.kernel(normRungs()[shape.rung].file);
    if (!program)
        return program.error();
    const auto copyProgram = context.kernel(normRungs()[kNormCopy].file);
    if (!copyProgram)
        return copyProgram.error();
    Buffers buffers(device);
    const auto set = makeSet(context, shape, contents, buffers);
    if (!set)
        return set.error();
    gpu::Arm rung{normRungs()[shape.rung].name, {sequenceOf(shape, *program, *set)}};
    gpu::Arm copy{"copy", {sequenceOf(copyShape, *copyProgram, *set)}};
    const auto copied = executeReference(context, copy.sets[0]); // before the rung, so that the rung's trace is kept
    if (!copied)
        return copied.error();
    context.progress(0.3, "copied");
    Result<Cudnn> cudnn = Cudnn();
    if (choice(params, "reference") == "cudnn" && shape.rung != kNormCopy)
        cudnn = tryCudnn(context, shape, contents, *set);
    if (!cudnn)
        return cudnn.error();
    if (auto poisoned = poison(context, set->y, shape.rowsBytes()); !poisoned)
        return poisoned;
    const auto done = executeOnce(context, rung.sets[0]);
    if (!done)
        return done.error();
    if (auto checked = checkOutput(context, shape, contents, set->y); !checked)
        return checked;
    if (auto checked = buffers.checkGuards(context); !checked)
        return checked;
    context.progress(0.6, "checked against the CPU");
    reportWork(context, shape, *done);

    const std::uint64_t touched = 2 * shape.rowsBytes();
    const auto further = [&]() -> Result<gpu::Sequence> {
        const auto other = makeSet(context, shape, contents, buffers);
        if (!other)
            return other.error();
        copy.sets.push_back(sequenceOf(copyShape, *copyProgram, *other));
        if (cudnn->way)
            cudnn->arm.sets.push_back(cudnnOn(shape, *cudnn->way, *other));
        return sequenceOf(shape, *program, *other);
    };
    if (auto rotated = rotate(rung, setsToRotate(device.info(), touched, touched), further); !rotated)
        return rotated;
    const std::optional<double> simulatedCopy = *copied;
    std::vector<gpu::Arm> arms{rung};
    if (cudnn->way)
        arms.push_back(cudnn->arm);
    if (!simulatedCopy)
        arms.push_back(copy);
    const auto measured = measure(context, *done, arms);
    if (!measured)
        return measured.error();
    if (!measured->empty()) {
        const Measured& own = measured->front();
        reportBandwidth(context, own, shape.bytes(), rung.sets.size());
        reportShare(context, "share_of_copy", own, referenceTime(simulatedCopy, *measured));
        if (cudnn->way) {
            const Measured& theirs = (*measured)[1];
            context.metric("cudnn_bandwidth", shape.bytes().all() / theirs.seconds / 1e9, theirs.provenance);
            reportShare(context, "cudnn_share", own, theirs);
        }
    }
    reportSimulated(context, done->heaviest());
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeNorm()
{
    return std::make_unique<Norm>();
}

} // namespace ridge::labs
