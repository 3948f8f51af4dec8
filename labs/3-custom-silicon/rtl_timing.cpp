// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 3.6: the array in SystemVerilog placed and routed on a small FPGA, and the path that limits its clock.
#include "base/lane_trace.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "rtl/fpga.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr std::uint64_t kMostDesign = 1u << 20;
constexpr std::size_t kMostTold = 8; ///< slowest steps of the path in the log

class RtlTimingExperiment : public Experiment {
public:
    RtlTimingExperiment()
    {
        m_info.id = "rtl_timing";
        m_info.title = "FPGA timing report of the array";
        m_info.module = 3;
        m_info.summary =
            "Places and routes the array on a Lattice iCE40 HX8K and finds the path that limits the clock.";
        m_info.parameters = {
            integerParam("n", "Side", "PEs", 2, 8, 2, ParamScale::Log2,
                         "Rows and columns; 4 x 4 fill half of the chip."),
            integerParam("place_seed", "Placement", "", 1, 1 << 20, 1, ParamScale::Linear,
                         "nextpnr begins at another place with each number; its clock differs by several percent."),
            fileParam("design", "Design", "SystemVerilog (*.sv *.v)",
                      "Your own module array, with the ports of labs/rtl/array.sv; empty: that one."),
            integerParam("limit_s", "Time limit", "s", 1, 600, 180, ParamScale::Linear,
                         "After which Yosys or nextpnr is stopped.")};
        m_info.targets = {kModelTarget};
        m_info.metrics = {
            {"fmax", "Clock", "Hz", "That the slowest path from register to register allows, as nextpnr estimates it."},
            {"logic_cells", "Logic cells", "1", "Each a table of four inputs with a flip-flop."},
            {"logic_share", "Logic used", "1", "Of the chip's 7,680 cells."},
            {"luts", "Tables", "1", "Of four inputs, that Yosys maps the design to; a logic cell holds one."},
            {"carries", "Carries", "1", "Of adders, likewise; a logic cell holds one beside its table."},
            {"flip_flops", "Flip-flops", "1", "Likewise; one that no result depends on is left out."},
            {"pins", "Pins", "1", "Of 256."},
            {"path", "Path", "s", "From the clock's edge through the slowest path to the next register."},
            {"path_routing", "Path, wires", "s", "What its wires take."},
            {"path_logic", "Path, logic", "s", "All else in it."},
            {"path_steps", "Path, steps", "1", "Cells and wires on it."},
            {"input_path", "From a pin", "s",
             "The longest path from a pin to a register; the clock above leaves it out."},
            {"macs_per_s", "Peak", "1/s", "PEs at that clock, if every one multiplies in every cycle."}};
        m_info.charts = {
            {"fmax_over_n", "Clock over the side", "n", "fmax", ParamScale::Log2, ParamScale::Linear},
            {"cells_over_n", "Cells over the side", "n", "logic_cells", ParamScale::Log2, ParamScale::Log2},
            {"fmax_over_seed", "Clock over placements", "place_seed", "fmax"}};
        m_info.limits = {{"logic_share", "the chip", "upper", "1", "7,680 logic cells of an iCE40 HX8K"}};
        m_info.scene = "lanes";
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        auto design = rtl::shippedDesign();
        if (given(params, "design")) {
            auto text = readInput(params, "design", kMostDesign);
            if (!text)
                return text.error();
            const std::filesystem::path path = std::get<std::string>(params.at("design"));
            design = rtl::Design{path.filename().string(), std::move(*text)};
        }
        if (!design)
            return design.error();
        rtl::Limits limits;
        limits.seconds = static_cast<double>(integer(params, "limit_s"));
        limits.stop = [&] { return context.cancelled(); };
        const auto side = static_cast<std::uint32_t>(integer(params, "n"));
        context.progress(0.1, "placing and routing");
        const auto placed = rtl::placeAndRoute(*design, {side, side},
                                               static_cast<std::uint64_t>(integer(params, "place_seed")), limits);
        if (!placed)
            return placed.error();
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Simulated); };
        tell("logic_cells", double(placed->logicCells));
        tell("logic_share", double(placed->logicCells) / double(std::max<std::uint64_t>(placed->logicCellsInAll, 1)));
        tell("luts", double(placed->luts));
        tell("carries", double(placed->carries));
        tell("flip_flops", double(placed->flipFlops));
        tell("pins", double(placed->pins));
        // A cell holds a table, a carry and a flip-flop at most.
        const std::uint64_t least = std::max({placed->luts, placed->carries, placed->flipFlops});
        context.check(
            "cells", placed->logicCells >= least,
            fmt::format("{} logic cells by nextpnr-ice40 {} hold {} tables, {} carries and {} flip-flops by {}",
                        placed->logicCells, placed->nextpnr, placed->luts, placed->carries, placed->flipFlops,
                        placed->yosys));
        tell("input_path", placed->inputSeconds);
        context.limit("logic_share", 1);
        if (placed->path.empty() || placed->fmax <= 0) {
            context.log("no path leads from register to register, so the report has no clock");
            return {};
        }
        const double wires = placed->seconds(true), logic = placed->seconds(false);
        tell("fmax", placed->fmax);
        tell("path", wires + logic);
        tell("path_routing", wires);
        tell("path_logic", logic);
        tell("path_steps", double(placed->path.size()));
        tell("macs_per_s", placed->fmax * side * side);
        // The report rounds each step to a picosecond.
        context.check("path", std::abs((wires + logic) * placed->fmax - 1) < 0.02,
                      fmt::format("the path to {} at {}, {} takes {:.3f} ns, a cycle at the clock {:.3f} ns",
                                  placed->path.back().cell, placed->path.back().x, placed->path.back().y,
                                  (wires + logic) * 1e9, 1e9 / placed->fmax));
        auto slowest = placed->path;
        std::ranges::stable_sort(slowest, std::ranges::greater{}, &rtl::PathStep::seconds);
        for (std::size_t i = 0; i < slowest.size() && i < kMostTold; ++i)
            context.log(fmt::format("{:.3f} ns {} to {} at {}, {}", slowest[i].seconds * 1e9, slowest[i].kind,
                                    slowest[i].cell, slowest[i].x, slowest[i].y));
        if (context.wantsTrace())
            draw(context, *placed);
        return {};
    }

private:
    static void draw(RunContext& context, const rtl::Placed& placed)
    {
        LaneTraceBuilder lanes("The path that limits the clock", "ns");
        const auto logic = lanes.state("logic", TraceColor::Series1), wire = lanes.state("wire", TraceColor::Series2),
                   edge = lanes.state("register", TraceColor::Series3);
        const auto registers = lanes.lane("registers"), cells = lanes.lane("logic cells"), wires = lanes.lane("wires");
        double now = 0;
        std::uint32_t before = LaneTraceBuilder::kNone;
        for (const rtl::PathStep& step : placed.path) {
            const double end = now + step.seconds * 1e9;
            const bool routing = step.kind == "routing", inside = step.kind == "logic";
            const auto span = lanes.span(routing  ? wires
                                         : inside ? cells
                                                  : registers,
                                         now, end,
                                         routing  ? wire
                                         : inside ? logic
                                                  : edge,
                                         routing ? step.net : step.cell);
            lanes.arrow(before, span);
            before = span;
            now = end;
        }
        context.trace(LaneTrace::kKind, encodeLaneTrace(lanes.take()));
    }

    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeRtlTiming()
{
    return std::make_unique<RtlTimingExperiment>();
}

} // namespace ridge::labs
