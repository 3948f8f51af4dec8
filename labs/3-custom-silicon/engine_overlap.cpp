// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 3.5: matrix engines, vector cores and Ethernet of one chip, one after the other or in slices.
#include "accelerator/engine_overlap.h"
#include "base/lane_trace.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"
#include "labs/harness/silicon_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

using namespace accelerator;

class EngineOverlapExperiment : public Experiment {
public:
    EngineOverlapExperiment()
    {
        m_info.id = "engine_overlap";
        m_info.title = "Matrix engines and vector cores";
        m_info.module = 3;
        m_info.summary = "Runs a graph on matrix engines, vector cores and network, sliced or not.";
        m_info.parameters = {
            choiceParam(
                "graph", "Graph", {"share", "attention"}, "share",
                "share: blocks of a product and vector work; attention: scores, softmax, values of each block."),
            amountParam("share", "Vector work", "", 0.999, 0.3,
                        "Of share: part of a block's time, one after the other."),
            amountParam("block_us", "Block", "us", 1e6, 100, "Of share: time of a block, one thing after the other."),
            integerParam("blocks", "Blocks", "", 1, 1000, 8, ParamScale::Log2, "In a row."),
            integerParam("slices", "Slices", "", 1, 1024, 1, ParamScale::Log2, "Of each operation; 1: slicing is off."),
            amountParam("slice_us", "Slice, cost", "us", 1000, 0, "Paid by each slice of each operation."),
            amountParam("network_mb", "Network", "MB", 1e6, 0,
                        "That a block sends over Ethernet after its vector work."),
            integerParam("seq", "Tokens", "", 1, 1 << 20, 4096, ParamScale::Log2, "Of attention: queries and keys."),
            integerParam("heads", "Heads", "", 1, 1024, 32, ParamScale::Log2, "Of attention."),
            integerParam("head_dim", "Head", "", 1, 1024, 128, ParamScale::Log2, "Of attention: size of a head."),
            amountParam("vector_ops", "Vector operations", "", 1000, 8, "Of attention: of softmax, each score.")};
        m_info.targets = {"machine"};
        m_info.engine = "accelerator";
        m_info.engineVersion = 1;
        m_info.defaultTarget = "machine:gaudi3";
        m_info.metrics = {
            {"time", "Time", "s", "Of all blocks."},
            {"unsliced_time", "Unsliced", "s", "One operation after the other."},
            {"bound_time", "Busiest engine", "s", "No slicing is faster."},
            {"matrix_utilization", "Matrix engines", "1", "Share of the time that they work."},
            {"vector_utilization", "Vector cores", "1", "Share of the time that they work."},
            {"network_utilization", "Network", "1", "Share of the time that it works."},
            {"amdahl", "Amdahl", "1", "What the matrix engines reach without slicing: their part of the work."},
            {"speedup", "Speed-up", "1", "Of slicing."},
            {"delivered", "Delivered", "FLOP/s", "Of the matrix engines, from the rate that was measured on them."},
            {"delivered_share", "Measured over peak", "1", "Of large products alone."}};
        m_info.charts = {{"utilization_over_share", "Matrix engines over vector work", "share", "matrix_utilization"},
                         {"time_over_slices", "Time over slices", "slices", "time", ParamScale::Log2}};
        m_info.limits = {{"time", "busiest engine", "lower", "max over engines of their work", "one thing at a time"}};
        m_info.scene = "lanes";
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        const auto gaudi = gaudiOf(*context.machine());
        if (!gaudi)
            return gaudi.error();
        const auto real = [&](const char* name) { return std::get<double>(params.at(name)); };
        const auto whole = [&](const char* name) { return double(integer(params, name)); };
        const bool attention = choice(params, "graph") == "attention";
        std::vector<EngineOp> block;
        if (attention) {
            if (gaudi->vectorFlopsPerS <= 0)
                return Error{"bad-machine", context.machine()->title + " has no published rate of its vector cores",
                             "target machine:" + context.machine()->id, "take machine:gaudi3, or graph=share"};
            const double scores = whole("seq") * whole("seq") * whole("heads");
            const double product = 2 * whole("head_dim") * scores / gaudi->matrixFlopsPerS;
            block = {{0, product}, {1, real("vector_ops") * scores / gaudi->vectorFlopsPerS}, {0, product}};
        } else {
            const double time = real("block_us") * 1e-6;
            block = {{0, time * (1 - real("share"))}, {1, time * real("share")}};
        }
        if (const double sent = real("network_mb"); sent > 0)
            block.push_back({2, sent * 1e6 / gaudi->linkBytesPerS});
        std::vector<EngineOp> ops;
        for (std::uint64_t b = 0; b < integer(params, "blocks"); ++b)
            ops.insert(ops.end(), block.begin(), block.end());
        const auto slices = static_cast<std::uint32_t>(integer(params, "slices"));
        const auto run = runEngines(ops, slices, real("slice_us") * 1e-6);
        if (!run)
            return run.error();
        double each[EngineRun::kMostEngines] = {}, sum = 0;
        for (const EngineOp& op : ops) {
            each[op.engine] += op.seconds;
            sum += op.seconds;
        }
        const double bound = *std::max_element(each, each + 3);
        if (!(sum > 0))
            return Error{"bad-graph", "the graph has no work", "parameters block_us, vector_ops", "give more than 0"};
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Simulated); };
        tell("time", run->time);
        tell("unsliced_time", sum);
        tell("bound_time", bound);
        tell("matrix_utilization", each[0] / run->time);
        tell("vector_utilization", each[1] / run->time);
        tell("network_utilization", each[2] / run->time);
        tell("amdahl", each[0] / sum);
        tell("speedup", sum / run->time);
        tell("delivered", gaudi->achievedFlopsPerS * each[0] / run->time);
        tell("delivered_share", gaudi->achievedFlopsPerS / gaudi->matrixFlopsPerS);
        context.limit("time", bound);
        if (slices == 1 && real("slice_us") == 0)
            context.check("Amdahl", std::abs(run->time - sum) <= 1e-9 * sum,
                          fmt::format("{:.6g} us one after the other, {:.6g} simulated", sum * 1e6, run->time * 1e6));
        else
            context.check("the busiest engine is not beaten", run->time >= bound * (1 - 1e-12),
                          fmt::format("{:.6g} us, the busiest needs {:.6g}", run->time * 1e6, bound * 1e6));
        if (context.wantsTrace())
            draw(context, *run, ops, block.size(), attention);
        return {};
    }

private:
    static void draw(RunContext& context, const EngineRun& run, const std::vector<EngineOp>& ops, std::size_t block,
                     bool attention)
    {
        LaneTraceBuilder lanes("Engines", "us");
        const std::uint8_t states[] = {lanes.state("multiplies", TraceColor::Series1),
                                       lanes.state("vector work", TraceColor::Series2),
                                       lanes.state("sends", TraceColor::Series3)};
        const std::uint32_t places[] = {lanes.lane("matrix engines"), lanes.lane("vector cores"),
                                        lanes.lane("Ethernet")};
        for (const EngineSpan& span : run.spans) {
            const std::uint32_t engine = ops[span.op].engine;
            const char* word = engine == 2            ? "send"
                               : engine == 1          ? attention ? "softmax" : "vector"
                               : !attention           ? "product"
                               : span.op % block == 0 ? "scores"
                                                      : "values";
            lanes.span(places[engine], span.begin * 1e6, span.end * 1e6, states[engine],
                       fmt::format("block {} {} slice {}", span.op / block, word, span.slice), span.op + 1);
        }
        context.trace(LaneTrace::kKind, encodeLaneTrace(lanes.take()));
    }

    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeEngineOverlap()
{
    return std::make_unique<EngineOverlapExperiment>();
}

} // namespace ridge::labs
