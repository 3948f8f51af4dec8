// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 3.6: what a product in C++ becomes in hardware: initiation interval, latency, multipliers, block RAM, LUTs.
#include "accelerator/hls.h"
#include "base/lane_trace.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace ridge::labs {
namespace {

using namespace accelerator;

class HlsExperiment : public Experiment {
public:
    HlsExperiment()
    {
        m_info.id = "hls";
        m_info.title = "High-level synthesis of a product";
        m_info.module = 3;
        m_info.summary = "Schedules an unrolled, pipelined loop on memory ports and multipliers.";
        const auto side = [](const char* name, const char* title, std::int64_t value, const char* help) {
            return integerParam(name, title, "", 0, HlsDesign::kMostSide, value, ParamScale::Log2, help);
        };
        m_info.parameters = {
            side("m", "m", 16, "C[m,n] = A[m,k] B[k,n], integers."),
            side("n", "n", 16, "Columns of B."),
            side("k", "k", 16, "Columns of A: the innermost loop."),
            choiceParam("loop", "Loop", {"k", "j"}, "k", "That is unrolled, and along which arrays are cut."),
            integerParam("unroll", "Unroll", "", 0, HlsDesign::kMostUnroll, 1, ParamScale::Log2, "Copies of the body."),
            switchParam("pipeline", "Pipeline", true, "Whether an iteration begins before the last one has ended."),
            choiceParam("partition", "Partition", {"none", "cyclic", "block", "complete"}, "none",
                        "cyclic: neighbours in different banks; block: in the same; complete: a bank each."),
            integerParam("factor", "Banks", "", 1, HlsDesign::kMostSide, 2, ParamScale::Log2, "Of cyclic and block."),
            integerParam("ports", "Ports", "", 1, 8, 2, ParamScale::List, "Of a bank; a block RAM has two."),
            integerParam("dsp_limit", "Multipliers at most", "", 0, 4096, 0, ParamScale::Log2, "0: no limit."),
            integerParam("bits", "Bits", "", 1, 32, 8, ParamScale::List, "Of an operand."),
            integerParam("add_cycles", "Sum", "cycles", 1, 16, 1, ParamScale::List,
                         "Latency of the sum's own addition: 1 of integers, 4 and more in floating-point."),
            amountParam("clock_mhz", "Clock", "MHz", 2000, 300, "For the time.")};
        m_info.targets = {kModelTarget};
        m_info.metrics = {
            {"ii", "II", "cycles", "Between the starts of two iterations."},
            {"latency", "Latency", "cycles", "Of the whole product."},
            {"time", "Time", "s", "Latency over the clock."},
            {"dsp", "Multipliers", "1", "DSP blocks, shared where II allows."},
            {"bram", "Block RAM", "1", "Of 18 Kbit, for A, B and C."},
            {"lut", "LUTs", "1", "A rough count: adders, small banks, choices among banks, 100 of control."},
            {"depth", "Depth", "cycles", "Of one iteration."},
            {"iterations", "Iterations", "1", "Of the unrolled loop nest."},
            {"memory_ii", "II of memory", "cycles", "The least that the ports allow."},
            {"dsp_ii", "II of multipliers", "cycles", "The least that they allow."},
            {"sum_ii", "II of the sum", "cycles", "The least that the sum of the iteration before allows."},
            {"macs_per_cycle", "Multiply-adds a cycle", "1", "Of the whole product."},
            {"utilization", "Utilisation", "1", "Of the multipliers."}};
        m_info.charts = {{"latency_over_unroll", "Latency over unrolling", "unroll", "latency", ParamScale::Log2},
                         {"latency_over_factor", "Latency over banks", "factor", "latency", ParamScale::Log2},
                         {"latency_dsp", "Latency and multipliers", "dsp", "latency", ParamScale::Linear,
                          ParamScale::Log2, "pareto"}};
        m_info.limits = {{"utilization", "multipliers", "upper", "1", "each multiplies once a cycle"}};
        m_info.scene = "lanes";
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        const auto number = [&](const char* name) { return static_cast<std::uint32_t>(integer(params, name)); };
        HlsDesign d;
        d.m = number("m");
        d.n = number("n");
        d.k = number("k");
        d.loop = choice(params, "loop") == "j" ? HlsLoop::J : HlsLoop::K;
        d.unroll = number("unroll");
        d.pipeline = number("pipeline") != 0;
        const std::string& cut = choice(params, "partition");
        d.partition = cut == "cyclic"  ? HlsPartition::Cyclic
                      : cut == "block" ? HlsPartition::Block
                      : cut == "none"  ? HlsPartition::None
                                       : HlsPartition::Complete;
        d.factor = number("factor");
        d.ports = number("ports");
        d.dspLimit = number("dsp_limit");
        d.bits = number("bits");
        d.sumCycles = number("add_cycles");
        const auto report = scheduleHls(d);
        if (!report)
            return report.error();
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Simulated); };
        const double latency = double(report->latency), macs = double(d.m) * d.n * d.k;
        tell("ii", report->ii);
        tell("latency", latency);
        if (const double clock = std::get<double>(params.at("clock_mhz")); clock > 0)
            tell("time", latency / (clock * 1e6));
        tell("dsp", report->dsp);
        tell("bram", report->bram);
        tell("lut", report->lut);
        tell("depth", report->depth);
        tell("iterations", double(report->iterations));
        tell("memory_ii", report->memoryIi);
        tell("dsp_ii", report->dspIi);
        tell("sum_ii", report->sumIi);
        tell("macs_per_cycle", macs / latency);
        tell("utilization", macs / latency / report->dsp);
        context.limit("utilization", 1);
        if (d.m <= 32 && d.n <= 32 && d.k <= 64) {
            const auto end = replayHls(d, *report);
            context.check("replay", end.ok() && *end == report->latency,
                          end ? fmt::format("{} cycles replayed with values, {} scheduled", *end, report->latency)
                              : end.error().message);
        }
        if (context.wantsTrace() && d.unroll <= 64)
            draw(context, *report);
        return {};
    }

private:
    static void draw(RunContext& context, const HlsReport& report)
    {
        LaneTraceBuilder lanes("Iterations of the loop", "cycles");
        const std::array<std::uint8_t, 5> states{
            lanes.state("reads A", TraceColor::Series1), lanes.state("reads B", TraceColor::Series2),
            lanes.state("multiplies", TraceColor::Series3), lanes.state("adds", TraceColor::Series4),
            lanes.state("sums", TraceColor::Series5)};
        const std::array<const char*, 5> words{"read A", "read B", "multiply", "add", "sum"};
        const auto count = std::min<std::uint64_t>(report.iterations, 4);
        for (std::uint64_t i = 0; i < count; ++i)
            for (const HlsOp& op : report.ops) {
                const auto kind = static_cast<std::size_t>(op.kind);
                const auto lane =
                    lanes.lane(fmt::format("{} {}", words[kind], op.copy), fmt::format("iteration {}", i));
                const double begin = double(i * report.ii + op.cycle);
                lanes.span(lane, begin, begin + op.length, states[kind],
                           kind < 2 ? fmt::format("bank {}", op.bank) : std::string(), i + 1);
            }
        context.trace(LaneTrace::kKind, encodeLaneTrace(lanes.take()));
    }

    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeHls()
{
    return std::make_unique<HlsExperiment>();
}

} // namespace ridge::labs
