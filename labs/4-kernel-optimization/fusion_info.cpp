// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "fusion", and the ledger of its chain.
#include "labs/4-kernel-optimization/fusion_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"

#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr Rung kRungs[] = {
    {"operators", "a kernel for each operator", "fusion/01_operators.cu"},
    {"elementwise", "neighbours up to the norm share a kernel, and so do those after it", "fusion/02_elementwise.cu"},
    {"one", "the whole chain in one kernel", "fusion/03_one_kernel.cu"},
};
constexpr std::uint64_t kThreads = 256; ///< of a block that works element by element
constexpr std::uint64_t kKept = 16;     ///< elements of a row that a thread has registers for
constexpr std::uint64_t kMostThreads = 1024;
/// Operations on an element: additions, multiplications, comparisons; e^x, a division and a root count as one each.
constexpr std::array<double, kFusionLongest + 1> kFlops = {0, 1, 9, 1, 1, 8, 1, 2, 1};

std::vector<ParamSpec> parameters()
{
    auto columns = integerParam("columns", "Columns", "elements", 1, 262144, 1024, ParamScale::Log2,
                                "Length of a row; need not be a power of two. The registers of a block hold 16384.");
    columns.defaultFor = {{"gpu", std::int64_t{4096}}};
    columns.sweepFor = {{"sim", "64..131072:log2"}};
    auto elements = integerParam("elements", "Elements", "elements", 1, 1 << 28, 1 << 20, ParamScale::Log2,
                                 "Size of each tensor, about: its rows are whole, and there is at least one.");
    elements.defaultFor = {{"gpu", std::int64_t{1 << 26}}};
    elements.sweepFor = {{"sim", "16384..4194304:log2"}};
    return {rungParam(kRungs, "one"),
            integerParam("ops", "Operators", "operators", 1, kFusionLongest, 5, ParamScale::Linear,
                         "How many operators of the chain run, from its begin: 1 bias, 2 GELU, 3 dropout, 4 residual "
                         "sum, 5 LayerNorm, 6 scale, 7 clamp, 8 round."),
            columns,
            elements,
            choiceParam("dtype", "Format", {"fp32", "bf16"}, "fp32",
                        "Of the tensors in memory. Kernels compute in fp32 and round what they write."),
            choiceParam("input", "Input", {"uniform", "offset", "equal", "specials"}, "uniform",
                        "uniform in [-2, 2), residual and bias in [-1, 1); offset: 100 is added; equal: all alike; "
                        "specials: NaN, infinity and minus infinity in three rows of four.")};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> own = {
        {"ledger_bytes", "Bytes of the ledger", "B",
         "What the kernels have to read and write, added up operator by operator."},
        {"ledger_read", "Read, by the ledger", "B", "The share of it that is read."},
        {"ledger_written", "Written, by the ledger", "B", "The share of it that is written."}};
    for (std::uint32_t op = 1; op <= kFusionLongest; ++op)
        own.push_back({fmt::format("bytes_{}", kFusionNames[op]), fmt::format("Bytes of {}", kFusionNames[op]), "B",
                       "What this operator adds to the bytes of the ledger."});
    const MetricSpec more[] = {
        {"ledger_ratio", "Gain by the ledger", "1",
         "Bytes of a kernel for each operator over the bytes of this rung: the speed-up if bytes alone decide."},
        {"launches", "Launches", "launches", "Kernels that the chain takes."},
        {"flops_per_element", "Operations per element", "FLOP",
         "Additions, multiplications and comparisons of the chain for each element, by count; e^x, a division and a "
         "root count as one."},
        {"rms_error", "Error", "1",
         "Root of the mean squared distance from the same chain in double precision, over results that are finite."},
        {"differing", "Other bits", "%",
         "Share of the results whose bits are not those of a kernel for each operator; 0 in fp32."},
        {"counted_bytes", "Bytes counted", "B",
         "What the simulator saw: bytes read from DRAM and bytes of sectors stored, all launches. Beside "
         "ledger_bytes."},
        {"dram_written", "Written to DRAM", "B",
         "Of what was stored, the bytes that left L2 before their launch ended, all launches; simulated."},
        {"instructions_per_element", "Instructions per element", "instructions",
         "PTX instructions that lanes executed, for each element, all launches."},
        {"speedup", "Speed-up", "1",
         "Time of a kernel for each operator over the time of this rung, both timed in turn."},
        {"speedup_iqr", "Speed-up, inter-quartile range", "1",
         "Over the pairs of samples, taken in turns, whose median speedup is; only where time is measured."},
        {"speedup_pairs", "Speed-up, pairs", "pairs",
         "How many pairs of samples speedup is the median of; only where time is measured."},
        {"of_ledger", "Speed-up over the ledger's gain", "%",
         "100: the speed-up is the quotient of the bytes. Near 100 where bytes decide the time."},
        {"ledger_bandwidth", "Bandwidth of the ledger", "GB/s", "Bytes of the ledger over the time."}};
    own.insert(own.end(), std::begin(more), std::end(more));
    return ladderMetrics(own, "Bytes that any way must read and write once: the ends of the chain and its operands,",
                         "all launches of the chain");
}

} // namespace

std::vector<FusionGroup> FusionShape::groups() const
{
    std::vector<FusionGroup> groups;
    for (std::uint32_t op = 1; op <= operators; ++op) {
        const bool breaks = rung == kFusionElementwise && (op == kFusionNorm || op == kFusionNorm + 1);
        if (rung == kFusionOperators || breaks || groups.empty())
            groups.push_back({op, op});
        else
            groups.back().last = op;
    }
    return groups;
}

FusionShape FusionShape::with(std::size_t other) const
{
    FusionShape shape = *this;
    shape.rung = other;
    return shape;
}

std::uint32_t FusionShape::rowThreads() const
{
    return static_cast<std::uint32_t>(std::min(kMostThreads, ceilDiv(ceilDiv(columns, kKept), 32) * 32));
}

double FusionShape::beyondRegisters() const
{
    const std::uint64_t kept = std::min(columns, kKept * rowThreads());
    return static_cast<double>(columns - kept) / static_cast<double>(columns);
}

std::uint64_t FusionShape::chain() const
{
    return ceilDiv(columns, rowThreads()) + kKept + 10; // a thread's own, warp, block
}

std::string FusionShape::kernel(const FusionGroup& group) const
{
    const char* type = bf16 ? "bf16" : "fp32";
    if (group.first == group.last)
        return fmt::format("fusion_{}_{}", kFusionNames[group.first], type);
    if (group.has(kFusionNorm))
        return fmt::format("fusion_row_{}", type);
    return fmt::format("fusion_{}_{}_{}", group.first, group.last, type);
}

std::size_t FusionShape::file(const FusionGroup& group) const
{
    if (group.first == group.last)
        return kFusionOperators;
    return group.has(kFusionNorm) ? kFusionOne : kFusionElementwise;
}

std::uint64_t FusionShape::blocks(const FusionGroup& group) const
{
    return group.has(kFusionNorm) ? rows : ceilDiv(elements(), 16 / elementBytes() * kThreads);
}

std::uint32_t FusionShape::threads(const FusionGroup& group) const
{
    return group.has(kFusionNorm) ? rowThreads() : static_cast<std::uint32_t>(kThreads);
}

FusionLedger fusionLedger(const FusionShape& shape)
{
    FusionLedger ledger;
    const auto tensor = static_cast<double>(shape.tensorBytes());
    const auto vector = static_cast<double>(shape.columns * shape.elementBytes());
    const auto elements = static_cast<double>(shape.elements());
    for (const FusionGroup& group : shape.groups()) {
        ledger[group.first].read += tensor;
        ledger[group.last].written += tensor;
        // The norm asks a row for its mean, for its spread and for its result.
        const double again = group.has(kFusionNorm) ? 2 * shape.beyondRegisters() : 0;
        for (std::uint32_t op = group.first; op <= group.last; ++op) {
            FusionEntry& entry = ledger[op];
            entry.flops = kFlops[op] * elements * (op < kFusionNorm ? 1 + again : 1);
            if (op == kFusionBias)
                entry.read += vector;
            if (op == kFusionResidual)
                entry.read += tensor;
            if (op == kFusionNorm)
                entry.read += 2 * vector + again * tensor * (group.has(kFusionResidual) ? 2 : 1);
        }
    }
    return ledger;
}

FusionEntry fusionTotal(const FusionLedger& ledger)
{
    FusionEntry total;
    for (const FusionEntry& entry : ledger) {
        total.read += entry.read;
        total.written += entry.written;
        total.flops += entry.flops;
    }
    return total;
}

UsefulBytes fusionUseful(const FusionShape& shape)
{
    const auto tensor = static_cast<double>(shape.tensorBytes());
    const auto vector = static_cast<double>(shape.columns * shape.elementBytes());
    return {tensor * (shape.has(kFusionResidual) ? 2 : 1) + vector * (shape.has(kFusionNorm) ? 3 : 1), tensor};
}

std::span<const Rung> fusionRungs()
{
    return kRungs;
}

FusionShape fusionShapeOf(const ParamSet& params)
{
    FusionShape shape;
    shape.rung = rungOf(kRungs, params);
    shape.operators = static_cast<std::uint32_t>(integer(params, "ops"));
    shape.bf16 = choice(params, "dtype") == "bf16";
    shape.columns = integer(params, "columns");
    shape.rows = std::max<std::uint64_t>(1, integer(params, "elements") / shape.columns);
    return shape;
}

ExperimentInfo fusionInfo()
{
    ExperimentInfo made;
    made.id = "fusion";
    made.version = 1;
    made.title = "Fused operations";
    made.module = 4;
    made.summary =
        "Runs a chain of up to eight operators, bias to round, as a kernel each, fused up to the norm, and as "
        "one kernel, beside its ledger of bytes.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim"};
    made.metrics = metrics();
    for (const char* x : {"ops", "columns", "elements"}) {
        const ParamScale scale = x == std::string("ops") ? ParamScale::Linear : ParamScale::Log2;
        made.charts.push_back(
            {fmt::format("speedup_over_{}", x), fmt::format("Speed-up over {}", x), x, "speedup", scale});
        made.charts.push_back({fmt::format("ledger_over_{}", x),
                               fmt::format("Speed-up and the ledger's over {}", x),
                               x,
                               "speedup",
                               scale,
                               ParamScale::Linear,
                               "series",
                               {"ledger_ratio"}});
        made.charts.push_back({fmt::format("time_over_{}", x), fmt::format("Time over {}", x), x, "time", scale});
    }
    ChartSpec bytes{"bytes_by_rung", "Bytes by operator", "rung", "ledger_bytes", ParamScale::List};
    bytes.kind = "cost";
    for (std::uint32_t op = 1; op <= kFusionLongest; ++op)
        bytes.parts.push_back(fmt::format("bytes_{}", kFusionNames[op]));
    made.charts.push_back(bytes);
    made.charts.push_back(
        {"time_by_rung", "Time by rung", "rung", "time", ParamScale::List, ParamScale::Linear, "ladder"});
    made.limits = bandwidthLimits("ends of the chain and operands, once each");
    made.limits.push_back({"ledger_bytes", "read once, write once", "lower",
                           "ends of the chain and operands, once each", "what is not read cannot be computed with"});
    made.kernels = filesOf(kRungs);
    made.scene = "lanes";
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
