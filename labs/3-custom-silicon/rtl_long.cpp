// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 3.6: millions of cycles of the array in SystemVerilog, as a program that Verilator makes of it.
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "rtl/long_run.h"

#include <filesystem>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr std::uint64_t kMostDesign = 1u << 20;

class RtlLongExperiment : public Experiment {
public:
    RtlLongExperiment()
    {
        m_info.id = "rtl_long";
        m_info.title = "Millions of cycles of the array in SystemVerilog";
        m_info.module = 3;
        m_info.summary = "Lets Verilator make a program of the array and runs random tiles through it.";
        m_info.parameters = {
            integerParam("n", "Side", "PEs", 2, 32, 8, ParamScale::Log2, "Rows and columns of the array."),
            integerParam("cycles", "Cycles", "cycles", 1, 1'000'000'000, 2'000'000, ParamScale::Log2,
                         "At least; the last tile is finished."),
            integerParam("m", "Rows of activations", "", 1, 4096, 64, ParamScale::Log2, "In each tile."),
            fileParam("design", "Design", "SystemVerilog (*.sv *.v)",
                      "Your own module array, with the ports of labs/rtl/array.sv; empty: that one."),
            integerParam("limit_s", "Time limit", "s", 1, 600, 180, ParamScale::Linear,
                         "After which build or simulation is stopped.")};
        m_info.targets = {kModelTarget};
        m_info.metrics = {
            {"cycles", "Cycles", "cycles", "That were simulated."},
            {"cycles_expected", "Closed form", "cycles", "Tiles x (2 rows + columns + m - 1): one waits for the last."},
            {"tiles", "Tiles", "1", "One after the other."},
            {"matches", "Matches", "1", "1: every row of results is that of plain loops."},
            {"wrong", "Wrong rows", "1", "Of results."},
            {"results", "Rows", "1", "Of results that were compared."},
            {"rate", "Speed", "cycles/s", "Of this machine, simulation and comparison together."},
            {"build", "Build", "s", "Verilator and the compiler, on this machine."}};
        m_info.charts = {{"rate_over_n", "Speed over the side", "n", "rate", ParamScale::Log2, ParamScale::Log2}};
        m_info.limits = {{"cycles", "closed form", "lower", "tiles × (2 rows + columns + m − 1)",
                          "rows that fill the array, results that leave it; one tile waits for the last"}};
        m_info.drawsNothing = true; // its operands have a seed of their own
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
        const std::uint64_t side = integer(params, "n"), m = integer(params, "m");
        const accelerator::Array array{static_cast<std::uint32_t>(side), static_cast<std::uint32_t>(side)};
        context.progress(0.1, "building and simulating the design");
        const auto run = rtl::runLong(*design, array, integer(params, "cycles"), m, limits);
        if (!run)
            return run.error();
        if (run->stuck)
            return Error{"rtl-stuck", "a tile's results never came", design->name,
                         "run rtl_array with this design: it says where the design stands"};
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Simulated); };
        tell("cycles", double(run->cycles));
        tell("tiles", double(run->tiles));
        tell("matches", run->wrong == 0);
        tell("wrong", double(run->wrong));
        tell("results", double(run->results));
        const std::uint64_t expected = run->tiles * (3 * side + m - 1);
        context.limit("cycles", double(expected));
        context.metric("cycles_expected", double(expected), Provenance::Modelled);
        if (run->seconds > 0)
            context.metric("rate", double(run->cycles) / run->seconds, Provenance::Measured);
        context.metric("build", run->buildSeconds, Provenance::Measured);
        context.log(run->tool);
        context.check("product", run->wrong == 0,
                      fmt::format("{} of {} rows of results differ from plain loops", run->wrong, run->results));
        context.check("cycles", run->cycles == expected,
                      fmt::format("{} cycles, {} in closed form", run->cycles, expected));
        return {};
    }

private:
    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeRtlLong()
{
    return std::make_unique<RtlLongExperiment>();
}

} // namespace ridge::labs
