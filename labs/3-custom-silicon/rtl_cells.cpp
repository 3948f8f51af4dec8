// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 3.6: gates and flip-flops that Yosys makes of the array in SystemVerilog.
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "rtl/cells.h"

#include <filesystem>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr std::uint64_t kMostDesign = 1u << 20;

class RtlCellsExperiment : public Experiment {
public:
    RtlCellsExperiment()
    {
        m_info.id = "rtl_cells";
        m_info.title = "Cells of the array in SystemVerilog";
        m_info.module = 3;
        m_info.summary = "Lets Yosys make gates of two inputs and flip-flops of the array, and counts them.";
        m_info.parameters = {
            integerParam("n", "Side", "PEs", 2, 32, 4, ParamScale::Log2, "Rows and columns of the array."),
            fileParam("design", "Design", "SystemVerilog (*.sv *.v)",
                      "Your own module array, with the ports of labs/rtl/array.sv; empty: that one."),
            integerParam("limit_s", "Time limit", "s", 1, 600, 120, ParamScale::Linear,
                         "After which Yosys is stopped.")};
        m_info.targets = {kModelTarget};
        m_info.metrics = {{"cells", "Cells", "1", "Gates and flip-flops."},
                          {"flip_flops", "Flip-flops", "1", "One for each bit that the design keeps."},
                          {"gates", "Gates", "1", "Of two inputs, inverters too."},
                          {"cells_of_pe", "Cells of a PE", "1", "Of one module mac: its multiplier for the most part."},
                          {"pe_share", "Share of PEs", "1", "Of all cells."}};
        m_info.charts = {{"cells_over_n", "Cells over the side", "n", "cells", ParamScale::Log2, ParamScale::Log2}};
        m_info.limits = {{"pe_share", "all cells", "upper", "1", "PEs are part of the array"}};
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        const bool own = given(params, "design");
        auto design = rtl::shippedDesign();
        if (own) {
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
        const accelerator::Array array{side, side};
        const auto count = rtl::countCells(*design, array, limits);
        if (!count)
            return count.error();
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Simulated); };
        tell("cells", double(count->cells));
        tell("flip_flops", double(count->flipFlops));
        tell("gates", double(count->cells - count->flipFlops));
        if (count->ofPe > 0) {
            tell("cells_of_pe", double(count->ofPe));
            tell("pe_share", double(count->ofPe) * double(array.elements()) / double(count->cells));
            context.limit("pe_share", 1);
        }
        if (!own)
            context.check("flip-flops", count->flipFlops == rtl::flipFlops(array),
                          fmt::format("{} flip-flops, {} in closed form", count->flipFlops, rtl::flipFlops(array)));
        return {};
    }

private:
    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeRtlCells()
{
    return std::make_unique<RtlCellsExperiment>();
}

} // namespace ridge::labs
