// SPDX-License-Identifier: GPL-3.0-or-later
// Chip-design track: an array, its SRAM, its memory and its number format under budgets of area and power.
#include "accelerator/codesign.h"
#include "accelerator/network.h"
#include "base/grid_trace.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"

#include <fmt/core.h>

#include <algorithm>

namespace ridge::labs {
namespace {

using namespace accelerator;

class CodesignExperiment : public Experiment {
public:
    CodesignExperiment()
    {
        std::vector<std::string> workloads{"gemm"};
        workloads.insert(workloads.end(), networkNames().begin(), networkNames().end());
        m_info.id = "codesign";
        m_info.title = "An accelerator under budgets";
        m_info.module = 3;
        m_info.summary = "Weighs array, SRAM, bandwidth and number format, and lists the designs that none beats.";
        m_info.parameters = {
            choiceParam("workload", "Workload", workloads, "resnet50", "A product or a network."),
            integerParam("m", "m", "", 0, Gemm::kMostSide, 1024, ParamScale::Log2, "Of gemm."),
            integerParam("n", "n", "", 0, Gemm::kMostSide, 1024, ParamScale::Log2, "Of gemm."),
            integerParam("k", "k", "", 0, Gemm::kMostSide, 1024, ParamScale::Log2, "Of gemm."),
            integerParam("batch", "Batch", "", 1, 4096, 1, ParamScale::Log2, "Images, or times m."),
            integerParam("rows", "Rows", "PEs", 0, Array::kMostSide, 32, ParamScale::Log2, "Of the design at hand."),
            integerParam("cols", "Columns", "PEs", 0, Array::kMostSide, 32, ParamScale::Log2, "Of the design at hand."),
            integerParam("sram_kb", "SRAM", "KiB", 1, 1 << 20, 512, ParamScale::Log2, "In three buffers."),
            amountParam("bandwidth", "DRAM", "GB/s", 1e5, 25, "Of the design at hand."),
            choiceParam("precision", "Format", {"int8", "bf16", "fp16", "fp32"}, "int8", "Of operands."),
            choiceParam("memory", "Memory", {"ddr", "hbm"}, "ddr", "162.5 pJ a byte, or 43.75 (350 pJ for 64 bits)."),
            amountParam("clock_mhz", "Clock", "MHz", 5000, 1000,
                        "Power grows with it; that it is reached is not checked."),
            amountParam("area_budget", "Area at most", "mm2", 1e6, 4, "0: no budget."),
            amountParam("power_budget", "Power at most", "W", 1e6, 8, "Chip and DRAM; 0: no budget."),
            switchParam("explore", "Explore", true, "Whether 10,816 designs are weighed as well.")};
        m_info.targets = {kModelTarget};
        m_info.metrics = {{"time", "Time", "s", "Of the design at hand."},
                          {"throughput", "Throughput", "1/s", "Images or products a second."},
                          {"area", "Area", "mm2", "At 16 nm, a law of four published chips."},
                          {"power", "Power", "W", "Chip at peak and DRAM at full bandwidth."},
                          {"energy", "Energy", "J", "Of the workload."},
                          {"utilization", "Utilisation", "1", "Of the array."},
                          {"dram_bytes", "DRAM", "B", "Read and written."},
                          {"within", "Within budgets", "1", "1: it is."},
                          {"designs", "Designs", "1", "That were weighed."},
                          {"feasible", "Feasible", "1", "Of them within budgets."},
                          {"front", "Front", "1", "Designs that none beats in time, area and power."},
                          {"best_time", "Fastest", "s", "Within budgets."},
                          {"best_rows", "Fastest, rows", "PEs", "Of its array."},
                          {"best_cols", "Fastest, columns", "PEs", "Of its array."},
                          {"best_sram_kb", "Fastest, SRAM", "KiB", "Of it."},
                          {"best_bandwidth", "Fastest, DRAM", "B/s", "Of it."},
                          {"best_area", "Fastest, area", "mm2", "Of it."},
                          {"best_power", "Fastest, power", "W", "Of it."},
                          {"over_best", "Above the fastest", "1", "Time over the fastest within budgets, less 1."}};
        m_info.charts = {
            {"time_area", "Time and area", "area", "time", ParamScale::Log2, ParamScale::Log2, "pareto"},
            {"time_power", "Time and power", "power", "time", ParamScale::Log2, ParamScale::Log2, "pareto"},
            {"time_over_rows", "Time over rows", "rows", "time", ParamScale::Log2, ParamScale::Log2}};
        m_info.limits = {{"utilization", "array", "upper", "1", "a PE multiplies once a cycle"}};
        m_info.scene = "grid";
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        const auto real = [&](const char* name) { return std::get<double>(params.at(name)); };
        std::vector<CodesignLayer> layers;
        const std::uint64_t batch = integer(params, "batch");
        if (choice(params, "workload") == "gemm")
            layers.push_back({{integer(params, "m") * batch, integer(params, "n"), integer(params, "k")}, 1});
        else {
            const auto network = networkNamed(choice(params, "workload"));
            if (!network)
                return network.error();
            for (const NetworkLayer& layer : *network) {
                Gemm gemm = gemmOf(layer.conv);
                gemm.m *= batch;
                layers.push_back({gemm, layer.groups});
            }
        }
        for (const CodesignLayer& layer : layers)
            if (auto good = checkGemm(layer.gemm); !good)
                return good.error();
        CodesignCosts costs;
        costs.clock = real("clock_mhz") * 1e6;
        costs.dramJoulesPerByte = (choice(params, "memory") == "hbm" ? 350e-12 : 1300e-12) / 8;
        const std::string& format = choice(params, "precision");
        costs.precision = format == "int8"   ? Precision::Int8
                          : format == "bf16" ? Precision::Bf16
                          : format == "fp16" ? Precision::Fp16
                                             : Precision::Fp32;
        const CodesignPoint point{
            {static_cast<std::uint32_t>(integer(params, "rows")), static_cast<std::uint32_t>(integer(params, "cols"))},
            static_cast<std::uint32_t>(integer(params, "sram_kb")),
            real("bandwidth") * 1e9};
        if (auto good = checkArray(point.array); !good)
            return good.error();
        if (!(costs.clock >= 1e6) || !(point.bytesPerS >= 1e6))
            return Error{"bad-value", "a design needs a clock and a memory", "parameters clock_mhz, bandwidth",
                         "give at least 1 MHz and 0.001 GB/s"};
        const double area = real("area_budget"), watts = real("power_budget");
        const auto inside = [&](const CodesignResult& r) {
            return (area <= 0 || r.area <= area) && (watts <= 0 || r.watts <= watts);
        };
        const CodesignResult at = evaluateDesign(point, costs, layers);
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
        tell("time", at.time);
        tell("throughput", double(batch) / at.time);
        tell("area", at.area);
        tell("power", at.watts);
        tell("energy", at.joules);
        tell("utilization", at.utilization);
        tell("dram_bytes", at.dramBytes);
        tell("within", inside(at));
        context.limit("utilization", 1);
        if (integer(params, "explore") == 0)
            return {};
        const auto grid = designGrid();
        std::vector<CodesignResult> results;
        std::uint64_t feasible = 0;
        for (std::size_t i = 0; i < grid.size() && !context.cancelled(); ++i) {
            results.push_back(evaluateDesign(grid[i], costs, layers));
            feasible += inside(results.back());
            if (i % 1024 == 0)
                context.progress(double(i) / double(grid.size()), "weighing designs");
        }
        const auto front = designFront(results, area, watts);
        tell("designs", double(results.size()));
        tell("feasible", double(feasible));
        tell("front", double(front.size()));
        if (front.empty()) {
            context.log("no design is within both budgets");
            return {};
        }
        const CodesignPoint& best = grid[front.front()];
        const CodesignResult& result = results[front.front()];
        tell("best_time", result.time);
        tell("best_rows", best.array.rows);
        tell("best_cols", best.array.cols);
        tell("best_sram_kb", best.sramKb);
        tell("best_bandwidth", best.bytesPerS);
        tell("best_area", result.area);
        tell("best_power", result.watts);
        tell("over_best", at.time / result.time - 1);
        for (std::size_t i = 0; i < front.size() && i < 40; ++i)
            context.log(fmt::format("front: {} x {}, {} KiB, {:.0f} GB/s: {:.4g} ms, {:.3g} mm2, {:.3g} W",
                                    grid[front[i]].array.rows, grid[front[i]].array.cols, grid[front[i]].sramKb,
                                    grid[front[i]].bytesPerS / 1e9, results[front[i]].time * 1e3,
                                    results[front[i]].area, results[front[i]].watts));
        if (context.wantsTrace())
            draw(context, grid, results, front, inside);
        return {};
    }

private:
    template<typename Inside>
    static void draw(RunContext& context, const std::vector<CodesignPoint>& grid,
                     const std::vector<CodesignResult>& results, const std::vector<std::size_t>& front, Inside inside)
    {
        GridTraceBuilder picture("Fastest design within budgets of each array, images a second", 8, 8);
        std::vector<std::string> sides;
        for (int s = 4; s <= 512; s *= 2)
            sides.push_back(std::to_string(s));
        picture.axes("rows", "columns").rowNames(sides).columnNames(sides).stepUnit("step").square();
        const auto none = picture.state("over a budget", TraceColor::Idle),
                   some = picture.state("within", TraceColor::Series1),
                   best = picture.state("on the front", TraceColor::Good);
        picture.values("rate", "1/s");
        picture.step("every array with its best SRAM and bandwidth");
        const std::size_t each = grid.size() / 64;
        for (std::uint32_t a = 0; a < 64; ++a) {
            std::size_t fastest = grid.size();
            bool listed = false;
            for (std::size_t i = a * each; i < (a + 1) * each; ++i) {
                if (inside(results[i]) && (fastest == grid.size() || results[i].time < results[fastest].time))
                    fastest = i;
                listed = listed || std::find(front.begin(), front.end(), i) != front.end();
            }
            if (fastest == grid.size()) {
                picture.set(a / 8, a % 8, {.state = none});
                continue;
            }
            const std::string note =
                fmt::format("{} KiB, {:.0f} GB/s, {:.3g} mm2, {:.3g} W", grid[fastest].sramKb,
                            grid[fastest].bytesPerS / 1e9, results[fastest].area, results[fastest].watts);
            picture.set(a / 8, a % 8,
                        {.state = listed ? best : some, .value = float(1 / results[fastest].time), .note = note});
        }
        context.trace(GridTrace::kKind, encodeGridTrace(picture.take()));
    }

    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeCodesign()
{
    return std::make_unique<CodesignExperiment>();
}

} // namespace ridge::labs
