// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/bfloat16.h"
#include "labs/4-kernel-optimization/fusion_info.h"
#include "labs/4-kernel-optimization/fusion_reference.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/ladder_experiment.h"

#include "base/lane_trace.h"

#include <bit>
#include <cmath>
#include <fmt/core.h>
#include <set>

namespace ridge::labs {
namespace {

// ---- work -----------------------------------------------------------------------------------------------------------

struct Set {
    gpu::DevicePtr x, bias, residual, gain, shift;
    gpu::DevicePtr between[2]; ///< what kernels hand to each other
    gpu::DevicePtr y, plain;   ///< results of the rung, and of a kernel for each operator
};

using Programs = std::array<const gpu::LoadedProgram*, 3>; ///< by FusionRung; null where no kernel of it is needed

/// `value(i)` for each element, in the format of the tensors.
Result<void> fillTensor(GpuContext& context, const FusionShape& shape, gpu::DevicePtr to, std::uint64_t count,
                        auto value)
{
    if (shape.bf16)
        return fill<std::uint16_t>(context, to, count, [&](auto i) { return toBf16(value(i)); });
    return fill<float>(context, to, count, value);
}

Result<Set> makeSet(GpuContext& context, const FusionData& data, bool wantsPlain, Buffers& buffers)
{
    Set set;
    const FusionShape& shape = data.shape;
    const auto filled = [&](gpu::DevicePtr& to, std::uint64_t count, const char* label, auto value) -> Result<void> {
        const auto made = buffers.allocate(count * shape.elementBytes(), label);
        if (!made)
            return made.error();
        to = *made;
        return fillTensor(context, shape, to, count, value);
    };
    const auto empty = [&](gpu::DevicePtr& to, const char* label) -> Result<void> {
        const auto made = buffers.allocate(shape.tensorBytes(), label);
        if (!made)
            return made.error();
        to = *made;
        return poison(context, to, shape.tensorBytes());
    };
    const std::uint64_t n = shape.elements(), columns = shape.columns;
    const auto take = [&]() -> Result<void> {
        if (auto done = filled(set.x, n, "x", [&](auto i) { return data.x(i); }); !done)
            return done;
        if (auto done = filled(set.bias, columns, "bias", [&](auto i) { return data.bias(i); }); !done)
            return done;
        if (auto done = filled(set.gain, columns, "gain", [&](auto i) { return data.gain(i); }); !done)
            return done;
        if (auto done = filled(set.shift, columns, "shift", [&](auto i) { return data.shift(i); }); !done)
            return done;
        set.residual = set.x; // no kernel of a shorter chain reads it
        if (shape.has(kFusionResidual))
            if (auto done = filled(set.residual, n, "residual", [&](auto i) { return data.residual(i); }); !done)
                return done;
        for (std::size_t k = 0; k < 2 && shape.operators > k + 1; ++k)
            if (auto done = empty(set.between[k], "between"); !done)
                return done;
        if (wantsPlain)
            if (auto done = empty(set.plain, "result of the operators"); !done)
                return done;
        return empty(set.y, "y");
    };
    if (auto taken = take(); !taken)
        return taken.error();
    return set;
}

gpu::Sequence sequenceOf(const FusionData& data, const FusionShape& shape, const Programs& programs, const Set& set,
                         gpu::DevicePtr result)
{
    gpu::Sequence sequence;
    gpu::DevicePtr from = set.x;
    const auto groups = shape.groups();
    for (const FusionGroup& group : groups) {
        const gpu::DevicePtr to = group == groups.back() ? result : set.between[sequence.size() % 2];
        std::vector<gpu::KernelArg> args = {from,
                                            set.bias,
                                            set.residual,
                                            set.gain,
                                            set.shift,
                                            to,
                                            static_cast<std::uint32_t>(shape.rows),
                                            static_cast<std::uint32_t>(shape.columns),
                                            data.salt};
        if (shape.file(group) == kFusionOne)
            args.emplace_back(group.last);
        sequence.push_back(step(programs[shape.file(group)], shape.kernel(group), shape.blocks(group),
                                shape.threads(group), std::move(args)));
        from = to;
    }
    return sequence;
}

// ---- correctness ----------------------------------------------------------------------------------------------------

/// Of the results: against double precision, and bit by bit against a kernel for each operator.
class Judged {
public:
    Judged(const FusionData& data) : m_reference(data) {}
    void see(std::uint64_t i, float got)
    {
        const double wanted = m_reference.value(i), value = static_cast<double>(got);
        m_comparison.see(i, m_reference.right(i, value), value, wanted);
        if (!std::isfinite(wanted))
            return;
        m_squares += (value - wanted) * (value - wanted);
        ++m_finite;
    }
    void seeBits(std::uint64_t i, float got, float plain)
    {
        const bool same = std::bit_cast<std::uint32_t>(got) == std::bit_cast<std::uint32_t>(plain) ||
                          (std::isnan(got) && std::isnan(plain));
        m_bits.see(i, same, static_cast<double>(got), static_cast<double>(plain));
        m_differing += same ? 0 : 1;
    }
    void report(GpuContext& context, const FusionShape& shape, bool comparesBits) const
    {
        const auto by = context.device().info().provenance;
        m_comparison.report(context, "with double precision, within a bound that follows the operators");
        if (m_finite > 0)
            context.metric("rms_error", std::sqrt(m_squares / static_cast<double>(m_finite)), by);
        if (!comparesBits)
            return;
        context.metric("differing", 100 * static_cast<double>(m_differing) / static_cast<double>(shape.elements()), by);
        if (!shape.bf16) // in bf16 the operators round what they hand on, and a fused kernel does not
            m_bits.report(context, "with a kernel for each operator, bit for bit", "same_bits", "");
    }

private:
    FusionReference m_reference;
    Comparison m_comparison, m_bits;
    double m_squares = 0;
    std::uint64_t m_finite = 0, m_differing = 0;
};

template<class T>
Result<void> judge(GpuContext& context, const FusionData& data, const Set& set, bool comparesBits, auto widened)
{
    constexpr std::uint64_t kChunk = (1u << 20) / sizeof(T);
    Judged judged(data);
    std::vector<T> other(std::min(data.shape.elements(), kChunk));
    Result<void> fetched;
    const auto seen = readBack<T>(context, set.y, data.shape.elements(), [&](std::uint64_t i, T got) {
        judged.see(i, widened(got));
        if (!comparesBits || !fetched)
            return;
        if (i % kChunk == 0) {
            const auto left = std::min(kChunk, data.shape.elements() - i);
            fetched = context.device().copyToHost(std::as_writable_bytes(std::span(other.data(), left)),
                                                  {set.plain.address + i * sizeof(T)});
        }
        judged.seeBits(i, widened(got), widened(other[i % kChunk]));
    });
    if (!seen || !fetched)
        return seen ? fetched : seen;
    judged.report(context, data.shape, comparesBits);
    return {};
}

// ---- numbers --------------------------------------------------------------------------------------------------------

void reportLedger(GpuContext& context, const FusionShape& shape)
{
    const auto tell = [&](const std::string& name, double value) { context.metric(name, value, Provenance::Modelled); };
    const FusionLedger ledger = fusionLedger(shape);
    const FusionEntry total = fusionTotal(ledger);
    tell("ledger_bytes", total.bytes());
    context.limit("ledger_bytes", fusionUseful(shape).all());
    tell("ledger_read", total.read);
    tell("ledger_written", total.written);
    for (std::uint32_t op = 1; op <= shape.operators; ++op)
        tell(fmt::format("bytes_{}", kFusionNames[op]), ledger[op].bytes());
    tell("ledger_ratio", fusionTotal(fusionLedger(shape.with(kFusionOperators))).bytes() / total.bytes());
    tell("launches", static_cast<double>(shape.groups().size()));
    tell("flops_per_element", total.flops / static_cast<double>(shape.elements()));
}

void reportCounts(GpuContext& context, const FusionShape& shape, const Execution& done)
{
    const auto counters = done.counters();
    if (!counters)
        return;
    const auto by = context.device().info().provenance;
    context.metric("instructions_per_element",
                   static_cast<double>(counters->threadInstExecuted) / static_cast<double>(shape.elements()), by);
    if (!done.seconds())
        return;
    std::uint64_t read = 0, written = 0;
    for (const gpu::LaunchReport& launch : done.launches) {
        read += launch.timing->counters.dramReadBytes;
        written += launch.timing->counters.dramWriteBytes;
    }
    context.metric("counted_bytes", static_cast<double>(read + 32 * counters->globalStoreSectors), by);
    context.metric("dram_written", static_cast<double>(written), by);
}

std::string nameOf(const FusionGroup& group)
{
    std::string name = kFusionNames[group.first];
    for (std::uint32_t op = group.first + 1; op <= group.last; ++op)
        name += fmt::format(" + {}", kFusionNames[op]);
    return name;
}

/// Both chains over time, or the one that there is: a span for each launch.
void draw(GpuContext& context, const FusionShape& shape, const Execution& plain, const Execution& own)
{
    if (!context.wantsTrace() || !plain.seconds() || !own.seconds())
        return;
    LaneTraceBuilder lanes(fmt::format("{} operators on {} x {} elements", shape.operators, shape.rows, shape.columns),
                           "us");
    const auto element = lanes.state("element by element", TraceColor::Series1);
    const auto row = lanes.state("with the norm", TraceColor::Series3);
    const auto add = [&](const FusionShape& of, const Execution& done, const char* name) {
        const auto lane = lanes.lane(name);
        double at = 0;
        for (std::size_t k = 0; k < done.launches.size(); ++k) {
            const FusionGroup group = of.groups()[k];
            const double ends = at + done.launches[k].timing->seconds * 1e6;
            lanes.span(lane, at, ends, group.has(kFusionNorm) ? row : element, nameOf(group));
            at = ends;
        }
    };
    add(shape.with(kFusionOperators), plain, "a kernel each");
    if (&plain != &own)
        add(shape, own, fusionRungs()[shape.rung].name);
    context.trace(LaneTrace::kKind, encodeLaneTrace(lanes.take()));
}

// ---- experiment -----------------------------------------------------------------------------------------------------

class Fusion : public LadderExperiment {
public:
    Fusion() : m_info(fusionInfo()) {}
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo&) const override
    {
        std::vector<std::string> files;
        for (const std::size_t rung : filesUsed(fusionShapeOf(params)))
            files.emplace_back(fusionRungs()[rung].file);
        return files;
    }
    /// Of the rung, and of a kernel for each operator.
    static std::set<std::size_t> filesUsed(const FusionShape& shape)
    {
        std::set<std::size_t> used = {kFusionOperators};
        for (const FusionGroup& group : shape.groups())
            used.insert(shape.file(group));
        return used;
    }

private:
    Result<std::unique_ptr<LadderPoint>> open(const ParamSet& params, GpuContext& context) const override;
    ExperimentInfo m_info;
};

class FusionPoint : public LadderPoint {
public:
    FusionPoint(GpuContext& given, FusionData data, const Programs& programs)
        : LadderPoint(given), m_data(std::move(data)), m_plain(m_data.shape.with(kFusionOperators)),
          m_programs(programs), m_alone(m_plain.groups() == m_data.shape.groups())
    {
        arm = fusionRungs()[m_data.shape.rung].name;
        checkedShare = 0.7;
    }
    Result<gpu::Sequence> makeSet(Buffers& buffers) override
    {
        const auto set = labs::makeSet(context, m_data, !m_alone, buffers);
        if (!set)
            return set.error();
        if (!m_checked)
            m_checked = *set;
        if (!m_alone)
            m_reference.sets.push_back(sequenceOf(m_data, m_plain, m_programs, *set, set->plain));
        return sequenceOf(m_data, m_data.shape, m_programs, *set, set->y);
    }
    Result<void> prepare(Buffers&) override
    {
        reportLedger(context, m_data.shape);
        if (m_alone || context.device().info().countsOnly)
            return {};
        auto done = executeOnce(context, m_reference.sets[0]);
        if (!done)
            return done.error();
        m_plainDone = std::move(*done);
        context.progress(0.3, "a kernel for each operator has run");
        return {};
    }
    Result<void> check() override
    {
        const bool comparesBits = m_plainDone.has_value();
        if (m_data.shape.bf16)
            return judge<std::uint16_t>(context, m_data, *m_checked, comparesBits, fromBf16);
        return judge<float>(context, m_data, *m_checked, comparesBits, [](float value) { return value; });
    }
    void report(const Execution& done) override
    {
        reportCounts(context, m_data.shape, done);
        draw(context, m_data.shape, m_plainDone ? *m_plainDone : done, done);
    }
    UsefulBytes bytes() const override { return fusionUseful(m_data.shape); }
    std::uint64_t touchedBytes() const override { return static_cast<std::uint64_t>(bytes().all()); }
    std::uint64_t heldBytes() const override { return 6 * m_data.shape.tensorBytes(); }
    std::vector<gpu::Arm> references() override
    {
        if (m_alone || (m_plainDone && m_plainDone->seconds()))
            return {};
        return {m_reference};
    }
    void reportTimes(const std::vector<Measured>& measured) override
    {
        const Measured& own = measured.front();
        const FusionShape& shape = m_data.shape;
        const double bytes = fusionTotal(fusionLedger(shape)).bytes();
        const double ledger = fusionTotal(fusionLedger(m_plain)).bytes() / bytes;
        context.metric("ledger_bandwidth", bytes / own.seconds / 1e9, own.provenance);
        double speedup = 1;
        if (!m_alone) {
            const Measured plain =
                referenceTime(m_plainDone ? m_plainDone->seconds() : std::optional<double>(), measured);
            const auto pairs = plain.timing ? plain.timing->toFirst : std::optional<gpu::PairedRatio>();
            speedup = pairs ? pairs->median : plain.seconds / own.seconds;
            if (pairs) {
                context.metric("speedup_iqr", pairs->iqr, own.provenance);
                context.metric("speedup_pairs", pairs->pairs, own.provenance);
            }
        }
        context.metric("speedup", speedup, own.provenance);
        context.metric("of_ledger", 100 * speedup / ledger, own.provenance);
    }

private:
    const FusionData m_data;
    const FusionShape m_plain;
    const Programs m_programs;
    const bool m_alone; ///< the rung is a kernel for each operator
    gpu::Arm m_reference{"operators", {}};
    std::optional<Execution> m_plainDone;
    std::optional<Set> m_checked;
};

Result<std::unique_ptr<LadderPoint>> Fusion::open(const ParamSet& params, GpuContext& context) const
{
    FusionData data{fusionShapeOf(params), choice(params, "input"), context.rng().nextU32()};
    Programs programs{};
    for (const std::size_t rung : filesUsed(data.shape)) {
        const auto program = context.kernel(fusionRungs()[rung].file);
        if (!program)
            return program.error();
        programs[rung] = *program;
    }
    return std::unique_ptr<LadderPoint>(std::make_unique<FusionPoint>(context, std::move(data), programs));
}

} // namespace

std::unique_ptr<GpuExperiment> makeFusion()
{
    return std::make_unique<Fusion>();
}

} // namespace ridge::labs
