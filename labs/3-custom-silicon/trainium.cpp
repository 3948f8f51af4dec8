// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 3.2: a product cut into tiles of Trainium's scratchpad: what fits, and which engine holds it up.
#include "accelerator/trainium.h"
#include "base/lane_trace.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"
#include "labs/harness/silicon_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace ridge::labs {
namespace {

using namespace accelerator;

constexpr std::size_t kDrawnSpans = 4096;

std::vector<ParamSpec> parameters()
{
    const auto size = [](const char* name, const char* title, std::int64_t value, const char* help) {
        return integerParam(name, title, "", 0, Gemm::kMostSide, value, ParamScale::Log2, help);
    };
    auto word = choiceParam("dtype", "Type", {"bf16", "fp8", "fp32"}, "bf16",
                            "Of operands. fp32 multiplies at a quarter of the rate; fp8 moves half the bytes and is "
                            "taken to multiply as bf16 does.");
    return {size("m", "m", 128, "C[m,n] = A[m,k] B[k,n]."),
            size("n", "n", 2048, "Columns of B: the free dimension."),
            size("k", "k", 512, "Columns of A: they lie over SBUF's 128 partitions."),
            size("tile_m", "Tile m", 128, "Rows of C at a time; 128 to a bank of PSUM."),
            size("tile_n", "Tile n", 512, "Columns of C at a time; 512 to a bank of PSUM."),
            size("tile_k", "Tile k", 512, "Of the sum that is loaded at a time."),
            integerParam("buffers", "Buffers", "", 1, 4, 2, ParamScale::List,
                         "Of each tile. 1: nothing is loaded while a tile is multiplied."),
            choiceParam("evict", "Copied out by", {"vector", "scalar"}, "vector", "The engine that empties PSUM."),
            word,
            amountParam("dma_setup", "DMA set-up", "us", 1000, 2,
                        "Before a transfer's first byte. No source that we read has it: 2 is an example."),
            integerParam("queues", "DMA queues", "", 1, 64, 16, ParamScale::Log2,
                         "Transfers that are set up at the same time."),
            switchParam("search", "Search", true, "Whether all cuts into powers of two are tried as well.")};
}

std::vector<MetricSpec> metrics()
{
    return {{"fits", "Fits", "1", "1: the tiles fit SBUF and PSUM. Without that there is no time."},
            {"sbuf_share", "SBUF", "1", "Of a partition that all buffers take; above 1 they do not fit."},
            {"psum_banks", "PSUM", "banks", "Of 8."},
            {"time", "Time", "s", "Of one core, from the first transfer to the last."},
            {"cycles", "Cycles", "cycles", "The same in the tensor engine's."},
            {"utilization", "Utilisation", "1", "Multiply-adds over the tensor engine's peak."},
            {"tensor_share", "Tensor engine", "1", "Share of the time that it works."},
            {"dma_share", "DMA", "1", "Share of the time that bytes move, set-up left out."},
            {"evict_share", "Copying out", "1", "Share of the time that the vector or scalar engine works."},
            {"bound", "Bound", "1", "The busiest: 0 DMA, 1 tensor engine, 2 the one that copies out."},
            {"ops_per_s", "Rate", "FLOP/s", "2 a multiply-add."},
            {"intensity", "Intensity", "FLOP/B", "Operations a loaded byte."},
            {"ridge", "Ridge", "FLOP/B", "Intensity at which loading takes as long as multiplying."},
            {"dram_bytes", "Memory", "B", "Read and written."},
            {"transfers", "Transfers", "1", "Of DMA, each with a set-up."},
            {"instructions", "Instructions", "1", "Of the tensor engine."},
            {"best_time", "Best time", "s", "Of all cuts into powers of two."},
            {"over_best", "Above the best", "1", "Time over the best one, less 1."},
            {"best_tile_m", "Best tile m", "1", "Of the best cut."},
            {"best_tile_n", "Best tile n", "1", "Of the best cut."},
            {"best_tile_k", "Best tile k", "1", "Of the best cut."},
            {"tried", "Cuts", "1", "That fit and were tried."}};
}

void draw(RunContext& context, const NeuronRun& run, const std::string& title, bool scalar)
{
    LaneTraceBuilder lanes(title, "us");
    const auto load = lanes.state("loads", TraceColor::Series1),
               multiply = lanes.state("multiplies", TraceColor::Series2),
               copy = lanes.state("copies out", TraceColor::Series3),
               store = lanes.state("stores", TraceColor::Series4);
    const std::uint32_t places[] = {lanes.lane("DMA in"), lanes.lane("tensor"),
                                    lanes.lane(scalar ? "scalar" : "vector"), lanes.lane("DMA out")};
    const std::uint8_t states[] = {load, multiply, copy, store};
    const char* words[] = {"load", "matmul", "copy", "store"};
    std::vector<std::uint32_t> loads; // of the step that is being multiplied
    std::map<std::uint64_t, std::uint32_t> copies;
    std::uint32_t last = LaneTraceBuilder::kNone;
    for (const NeuronSpan& each : run.spans) {
        const auto lane = static_cast<std::size_t>(each.lane);
        const auto made = lanes.span(places[lane], each.begin * 1e6, each.end * 1e6, states[lane],
                                     fmt::format("{} {}", words[lane], each.step));
        switch (each.lane) {
        case NeuronSpan::Lane::Load:
            loads.push_back(made);
            break;
        case NeuronSpan::Lane::Tensor:
            for (const std::uint32_t from : loads)
                lanes.arrow(from, made);
            loads.clear();
            last = made;
            break;
        case NeuronSpan::Lane::Evict:
            lanes.arrow(last, made);
            copies[each.step] = made;
            break;
        case NeuronSpan::Lane::Store:
            if (const auto from = copies.find(each.step); from != copies.end())
                lanes.arrow(from->second, made);
        }
    }
    context.trace(LaneTrace::kKind, encodeLaneTrace(lanes.take()));
}

class TrainiumExperiment : public Experiment {
public:
    TrainiumExperiment()
    {
        m_info.id = "trainium";
        m_info.title = "A product in Trainium's scratchpad";
        m_info.module = 3;
        m_info.summary = "Cuts a product into tiles of SBUF and PSUM and runs DMA and engines on them.";
        m_info.parameters = parameters();
        m_info.targets = {"machine"};
        m_info.engine = "accelerator";
        m_info.engineVersion = 1;
        m_info.defaultTarget = "machine:trainium2";
        m_info.metrics = metrics();
        m_info.charts = {
            {"time_over_tile_n", "Time over tile n", "tile_n", "time", ParamScale::Log2},
            {"time_over_setup", "Time over DMA set-up", "dma_setup", "time"},
            {"utilization_over_tile_m", "Utilisation over tile m", "tile_m", "utilization", ParamScale::Log2}};
        m_info.limits = {{"utilization", "tensor engine", "upper", "1", "128 x 128 multiply-adds a cycle"},
                         {"time", "busiest engine", "lower", "max(loads and stores / bandwidth, tensor, copying out)",
                          "no engine does more than one thing at a time"}};
        m_info.scene = "lanes";
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        auto core = neuronCoreOf(*context.machine());
        if (!core)
            return core.error();
        core->dmaSetup = std::get<double>(params.at("dma_setup")) * 1e-6;
        core->queues = static_cast<std::uint32_t>(integer(params, "queues"));
        const Gemm gemm{integer(params, "m"), integer(params, "n"), integer(params, "k")};
        const auto number = [&](const char* name) { return static_cast<std::uint32_t>(integer(params, name)); };
        const Evict evict = choice(params, "evict") == "scalar" ? Evict::Scalar : Evict::Vector;
        const NeuronTiles tiles{number("tile_m"), number("tile_n"), number("tile_k"), number("buffers"), evict};
        const std::string& type = choice(params, "dtype");
        const std::uint32_t word = type == "fp8" ? 1 : type == "fp32" ? 4 : 2;
        const auto fit = tileFit(*core, gemm, tiles, word);
        if (!fit)
            return fit.error();
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Simulated); };
        tell("fits", fit->fits());
        tell("sbuf_share", double(fit->sbufPerPartition) / double(fit->sbufLimit));
        tell("psum_banks", fit->banks);
        tell("ridge", 2 * core->peak() / core->bytesPerS);
        double time = 0;
        if (fit->fits()) {
            const auto run = runNeuron(*core, gemm, tiles, word, context.wantsTrace() ? kDrawnSpans : 0);
            if (!run)
                return run.error();
            time = run->time;
            tell("time", time);
            tell("cycles", time * core->tensorClock);
            tell("utilization", double(gemm.macs()) / time / core->peak());
            tell("tensor_share", run->tensorBusy / time);
            tell("dma_share", run->dmaBusy / time);
            tell("evict_share", run->evictBusy / time);
            const double busiest = std::max({run->dmaBusy, run->tensorBusy, run->evictBusy});
            tell("bound", busiest == run->dmaBusy ? 0 : busiest == run->tensorBusy ? 1 : 2);
            tell("ops_per_s", 2 * double(gemm.macs()) / time);
            tell("intensity", run->intensity);
            tell("dram_bytes", run->loadBytes + run->storeBytes);
            tell("transfers", double(run->transfers));
            tell("instructions", double(run->instructions));
            context.limit("utilization", 1);
            context.limit("time", busiest);
            context.check("no engine is beaten", busiest <= time,
                          fmt::format("the busiest works {:.4g} us of {:.4g}", busiest * 1e6, time * 1e6));
            if (context.wantsTrace())
                draw(context, *run,
                     fmt::format("{} x {} x {} in tiles of {} x {} x {}", gemm.m, gemm.n, gemm.k, tiles.m, tiles.n,
                                 tiles.k),
                     evict == Evict::Scalar);
        } else {
            context.log(fmt::format("{} of {} B a partition, {} of {} banks: it does not fit", fit->sbufPerPartition,
                                    fit->sbufLimit, fit->banks, fit->bankLimit));
        }
        if (integer(params, "search") == 0)
            return {};
        const auto best = bestTiles(*core, gemm, tiles.buffers, evict, word);
        if (!best)
            return best.error();
        tell("best_time", best->time);
        tell("best_tile_m", best->tiles.m);
        tell("best_tile_n", best->tiles.n);
        tell("best_tile_k", best->tiles.k);
        tell("tried", best->tried);
        if (time > 0)
            tell("over_best", time / best->time - 1);
        return {};
    }

private:
    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeTrainium()
{
    return std::make_unique<TrainiumExperiment>();
}

} // namespace ridge::labs
