// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 3.4: hops over a wafer with dead cores, and weights that stream in.
#include "accelerator/wafer.h"
#include "base/grid_trace.h"
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

constexpr std::uint32_t kDrawnSide = 128;

class WaferExperiment : public Experiment {
public:
    WaferExperiment()
    {
        m_info.id = "wafer";
        m_info.title = "A model on a wafer";
        m_info.module = 3;
        m_info.summary = "Routes round dead cores, and streams weights in layer by layer until the link or the cores "
                         "hold it up.";
        m_info.parameters = {
            integerParam("rows", "Rows", "cores", 1, 1 << 20, 32, ParamScale::Log2, "Of the mesh that is routed."),
            integerParam("cols", "Columns", "cores", 1, 1 << 20, 32, ParamScale::Log2, "Of the mesh that is routed."),
            amountParam("dead_rate", "Dead cores", "", 0.9, 0.02, "Share of the cores, drawn."),
            integerParam("pairs", "Pairs", "", 1, 1000, 50, ParamScale::Log2, "Of live cores that are routed."),
            amountParam("weights", "Weights", "10^9", 1e6, 70, "Of the model."),
            integerParam("bits", "Bits", "", 1, 32, 16, ParamScale::List, "Of a weight."),
            integerParam("layers", "Layers", "", 1, 10000, 80, ParamScale::Log2, "Alike; weights stream one ahead."),
            amountParam("tokens", "Tokens", "", 1e9, 1000, "That pass each layer together."),
            amountParam("stream_gbs", "Stream", "GB/s", 1e6, 0, "Into the wafer; 0 takes the machine's."),
            integerParam("phases", "Phases", "", 1, 64, 4, ParamScale::Linear,
                         "Products of a layer whose results must cross the wafer, where weights are resident."),
            amountParam("phase_hops", "Hops of a phase", "", 1e6, 2000,
                        "One after the other; some two sides of a wafer of 950 x 950.")};
        m_info.targets = {"machine"};
        m_info.engine = "accelerator";
        m_info.engineVersion = 1;
        m_info.defaultTarget = "machine:wse-2";
        m_info.metrics = {
            {"mean_hops", "Hops", "hops", "Of the pairs, round dead cores."},
            {"straight_hops", "Straight hops", "hops", "Of the same pairs without dead cores."},
            {"detour", "Detour", "1", "Hops over straight ones, less 1."},
            {"longest_route", "Longest way", "hops",
             "From a corner's core to all that it reaches: a broadcast's cycles."},
            {"unreachable", "Out of reach", "1", "Share of live cores that this core does not reach."},
            {"dead_cores", "Dead", "cores", "That were drawn."},
            {"fits", "Fits", "1", "1: the weights fit the wafer's SRAM."},
            {"weight_bytes", "Weights", "B", "Of the model."},
            {"wafers", "Wafers", "wafers", "That hold the weights in SRAM."},
            {"time", "Pass", "s", "Of all tokens, weights streamed."},
            {"stream_time", "Streaming", "s", "Of all weights, once."},
            {"utilization", "Utilisation", "1", "Of the wafer's peak, weights streamed."},
            {"tokens_per_s", "Tokens a second", "1/s", "Weights streamed, all tokens of a pass."},
            {"break_even", "Break-even", "tokens", "At which a layer computes as long as it streams."},
            {"found_break_even", "Break-even, found", "tokens",
             "The least at which the simulated wafer does not wait."},
            {"resident_time", "Token, resident", "s", "Hops and SRAM alone; of wafers that hold the weights."},
            {"sram_time", "SRAM", "s", "Read once, all wafers together."}};
        m_info.charts = {
            {"utilization_over_tokens", "Utilisation over tokens", "tokens", "utilization", ParamScale::Log2},
            {"utilization_over_stream", "Utilisation over the stream", "stream_gbs", "utilization", ParamScale::Log2},
            {"detour_over_dead", "Detour over dead cores", "dead_rate", "detour"}};
        m_info.limits = {
            {"utilization", "link", "upper", "min(1, tokens / break-even)", "weights cross it once a pass"}};
        m_info.scene = "grid";
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        const auto wafer = waferOf(*context.machine());
        if (!wafer)
            return wafer.error();
        const auto real = [&](const char* name) { return std::get<double>(params.at(name)); };
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Simulated); };
        if (auto routed = route(params, context, tell); !routed)
            return routed.error();
        const double parameters = real("weights") * 1e9, bytes = double(integer(params, "bits")) / 8;
        Streaming s;
        s.layers = double(integer(params, "layers"));
        s.layerParameters = parameters / s.layers;
        s.bytesPerParameter = bytes;
        s.tokens = real("tokens");
        s.flopsPerS = wafer->flopsPerS;
        s.bytesPerS = real("stream_gbs") > 0 ? real("stream_gbs") * 1e9 : wafer->streamBytesPerS;
        if (!(parameters > 0) || !(s.tokens > 0))
            return Error{"bad-value", "a pass needs weights and tokens", "parameters weights, tokens",
                         "give more than 0"};
        const StreamingRun run = runStreaming(s);
        tell("weight_bytes", parameters * bytes);
        tell("fits", parameters * bytes <= wafer->sramBytes);
        const double wafers = std::max(1.0, std::ceil(parameters * bytes / wafer->sramBytes));
        tell("wafers", wafers);
        tell("time", run.time);
        tell("stream_time", run.stream);
        tell("utilization", run.utilization);
        tell("tokens_per_s", s.tokens / run.time);
        const double even = breakEvenTokens(s);
        tell("break_even", even);
        tell("sram_time", parameters * bytes / (wafer->sramBytesPerS * wafers));
        tell("resident_time", s.layers * double(integer(params, "phases")) * real("phase_hops") / wafer->clock +
                                  parameters * bytes / (wafer->sramBytesPerS * wafers));
        if (s.layers >= 2) {
            const double found = foundBreakEven(s);
            tell("found_break_even", found);
            context.check(
                "break-even", found >= even - 1e-6 * even && found <= even + 1 + 1e-6 * even,
                fmt::format("{:.6g} tokens in closed form, {:.6g} found on the simulated wafer", even, found));
        }
        context.limit("utilization", std::min(1.0, s.tokens / even));
        return {};
    }

private:
    template<typename Tell>
    static Result<void> route(const ParamSet& params, RunContext& context, Tell& tell)
    {
        const auto rows = static_cast<std::uint32_t>(integer(params, "rows")),
                   cols = static_cast<std::uint32_t>(integer(params, "cols"));
        auto mesh = meshOf(rows, cols);
        if (!mesh)
            return mesh.error();
        Rng& rng = context.rng();
        const double rate = std::get<double>(params.at("dead_rate"));
        std::uint32_t dead = 0;
        for (auto& core : mesh->dead)
            dead += core = rng.uniform() < rate;
        std::vector<std::uint32_t> live;
        for (std::uint32_t core = 0; core < mesh->cores(); ++core)
            if (!mesh->dead[core])
                live.push_back(core);
        tell("dead_cores", dead);
        if (live.empty())
            return Error{"bad-mesh", "every core is dead", "parameters dead_rate, rows, cols",
                         "give fewer dead cores or a larger mesh"};
        const auto corner = hopsFrom(*mesh, live.front());
        std::uint32_t longest = 0, lost = 0;
        for (const std::uint32_t core : live) {
            lost += corner[core] == kNoRoute;
            longest = std::max(longest, corner[core] == kNoRoute ? 0 : corner[core]);
        }
        tell("longest_route", longest);
        tell("unreachable", double(lost) / double(live.size()));
        double hops = 0, straight = 0, reached = 0;
        std::vector<std::vector<std::uint32_t>> drawn;
        const std::uint64_t pairs = integer(params, "pairs");
        for (std::uint64_t pair = 0; pair < pairs && !context.cancelled(); ++pair) {
            const auto from = live[rng.next() % live.size()], to = live[rng.next() % live.size()];
            const auto way = routeOf(*mesh, from, to);
            if (way.empty())
                continue;
            reached += 1;
            hops += double(way.size() - 1);
            straight +=
                std::abs(double(from / cols) - double(to / cols)) + std::abs(double(from % cols) - double(to % cols));
            if (drawn.size() < 40)
                drawn.push_back(way);
        }
        if (reached > 0) {
            tell("mean_hops", hops / reached);
            tell("straight_hops", straight / reached);
            tell("detour", straight > 0 ? hops / straight - 1 : 0);
        }
        context.check("no way is shorter than a straight one", hops >= straight,
                      fmt::format("{:.6g} hops, {:.6g} straight, {} of {} pairs", hops, straight, reached, pairs));
        if (context.wantsTrace() && rows <= kDrawnSide && cols <= kDrawnSide)
            draw(context, *mesh, drawn);
        return {};
    }

    static void draw(RunContext& context, const Mesh& mesh, const std::vector<std::vector<std::uint32_t>>& ways)
    {
        GridTraceBuilder grid(fmt::format("{} x {} cores", mesh.rows, mesh.cols), mesh.rows, mesh.cols);
        grid.axes("row", "column").stepUnit("hop").square();
        const auto live = grid.state("alive", TraceColor::Idle), gone = grid.state("dead", TraceColor::Bad),
                   passed = grid.state("on the way", TraceColor::Series1),
                   ends = grid.state("an end", TraceColor::Accent);
        grid.step("dead cores are found by a test of the wafer");
        for (std::uint32_t core = 0; core < mesh.cores(); ++core)
            if (mesh.dead[core])
                grid.set(core / mesh.cols, core % mesh.cols, {.state = gone});
        for (std::size_t w = 0; w < ways.size() && !grid.full(); ++w) {
            if (w > 0)
                for (const std::uint32_t core : ways[w - 1])
                    grid.set(core / mesh.cols, core % mesh.cols, {.state = live});
            for (std::size_t i = 0; i < ways[w].size(); ++i) {
                const std::uint32_t core = ways[w][i];
                grid.step(fmt::format("way {}: hop {} of {}", w + 1, i, ways[w].size() - 1));
                grid.set(core / mesh.cols, core % mesh.cols,
                         {.state = i == 0 || i + 1 == ways[w].size() ? ends : passed});
            }
        }
        context.trace(GridTrace::kKind, encodeGridTrace(grid.take()));
    }

    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeWafer()
{
    return std::make_unique<WaferExperiment>();
}

} // namespace ridge::labs
