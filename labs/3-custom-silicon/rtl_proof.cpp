// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 3.6: a proof of the array's PE, where a testbench tries a few values.
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "rtl/proof.h"

#include <cmath>
#include <filesystem>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr std::uint64_t kMostDesign = 1u << 20;

class RtlProofExperiment : public Experiment {
public:
    RtlProofExperiment()
    {
        m_info.id = "rtl_proof";
        m_info.title = "A proof of the PE in SystemVerilog";
        m_info.module = 3;
        m_info.summary =
            "Lets Yosys prove by induction that the PE is right for every input, or find inputs for which it is not.";
        std::vector<std::string> bugs = {"none"};
        for (const rtl::Fault& fault : rtl::faults())
            bugs.emplace_back(fault.id);
        m_info.parameters = {
            choiceParam("bug", "Bug", bugs, "none",
                        "Planted in the design that comes with the program. Bugs outside of the PE are not looked at."),
            fileParam("design", "Design", "SystemVerilog (*.sv *.v)",
                      "Your own module mac, with the ports of labs/rtl/array.sv; empty: that one."),
            integerParam("limit_s", "Time limit", "s", 1, 600, 300, ParamScale::Linear,
                         "After which Yosys is stopped.")};
        m_info.targets = {kModelTarget};
        m_info.metrics = {{"proved", "Proved", "1", "1: for every input and for ever. 0: an example is in the log."},
                          {"depth", "Depth", "cycles", "Of the induction, or of the example."},
                          {"inputs", "Inputs", "1", "Of one cycle: 2 to the power of 51, which no test can try."}};
        m_info.charts = {{"proved_over_bug", "Which bugs are in the PE", "bug", "proved", ParamScale::List}};
        m_info.limits = {{"proved", "right for every input", "upper", "1", "what induction shows cannot be surpassed"}};
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        auto design = rtl::shippedDesign();
        const std::string& bug = std::get<std::string>(params.at("bug"));
        if (given(params, "design")) {
            if (bug != "none")
                return Error{"bad-value", "a bug is planted only in the design that comes with the program",
                             "parameters bug, design", "set bug=none, or leave design empty"};
            auto text = readInput(params, "design", kMostDesign);
            if (!text)
                return text.error();
            const std::filesystem::path path = std::get<std::string>(params.at("design"));
            design = rtl::Design{path.filename().string(), std::move(*text)};
        } else if (design && bug != "none") {
            design = rtl::withFault(*design, bug);
        }
        if (!design)
            return design.error();
        rtl::Limits limits;
        limits.seconds = static_cast<double>(integer(params, "limit_s"));
        limits.stop = [&] { return context.cancelled(); };
        context.progress(0.1, "proving");
        const auto proof = rtl::proveMac(*design, limits);
        if (!proof)
            return proof.error();
        constexpr int kInputBits = 8 + 8 + 32 + 3; // w_in, a_in, sum_in, reset, load and step
        context.metric("proved", proof->proved, Provenance::Simulated);
        context.limit("proved", 1);
        context.metric("depth", double(proof->depth), Provenance::Simulated);
        context.metric("inputs", std::exp2(kInputBits), Provenance::Modelled);
        if (!proof->proved)
            context.log("the PE and the rule differ after these inputs:");
        for (const auto& line : proof->example)
            context.log(fmt::format("cycle {}: {} = {}", line[0], line[1], line[2]));
        return {};
    }

private:
    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeRtlProof()
{
    return std::make_unique<RtlProofExperiment>();
}

} // namespace ridge::labs
