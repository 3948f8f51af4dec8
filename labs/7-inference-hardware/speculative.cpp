// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 7.6: what drafted tokens gain, and from which batch on they do not.
#include "serving/economics/speculative.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"

#include <fmt/core.h>

#include <cmath>

namespace ridge::labs {
namespace {

using namespace serving;

class SpeculativeExperiment : public Experiment {
public:
    SpeculativeExperiment()
    {
        m_info.id = "speculative";
        m_info.title = "Speculative decoding";
        m_info.module = 7;
        m_info.summary =
            "Drafts tokens with a small model, checks them with the large one, and counts what that gains.";
        ParamSpec ridge =
            amountParam("ridge", "Ridge", "tokens", 1e9, 295,
                        "Tokens of a step beyond which the large model computes longer than it reads: peak "
                        "over bandwidth. 295: an H100 in 16 bits.");
        ridge.min = 1;
        m_info.parameters = {
            amountParam("acceptance", "Acceptance", "", 1, 0.8, "Probability that a drafted token is kept."),
            integerParam("draft_length", "Draft length", "tokens", 0, 64, 4, ParamScale::Linear, "Drafted at a time."),
            amountParam("cost_ratio", "Cost of a draft", "", 10, 0.1,
                        "A step of the draft model over one of the large model."),
            integerParam("batch", "Batch", "sequences", 1, 1 << 20, 1, ParamScale::Log2, "Sequences of a step."),
            ridge,
            integerParam("draws", "Draws", "", 1000, 10000000, 200000, ParamScale::Log2,
                         "Steps that are drawn, and tokens of the output test.")};
        m_info.targets = {kModelTarget};
        m_info.metrics = {
            {"speedup", "Speed-up", "1", "Over decoding without drafts, by the closed form."},
            {"speedup_simulated", "Speed-up, drawn", "1", "From drawn steps."},
            {"tokens_per_step", "Tokens of a step", "tokens",
             "(1 - a^(g + 1)) / (1 - a), the large model's own included."},
            {"tokens_simulated", "Tokens of a step, drawn", "tokens", "From drawn steps."},
            {"verification_cost", "Check", "1", "Of all drafts over a plain step."},
            {"best_draft_length", "Best draft length", "tokens", "With the greatest speed-up, of 0 to 64."},
            {"best_speedup", "Best speed-up", "1", "With that length."},
            {"switch_off_batch", "Largest batch that gains", "sequences", "Speed-up of 1 or more; 0: none."},
            {"chi_square", "Chi-square", "1", "Of drawn output against the large model's distribution, 5 degrees."}};
        m_info.limits = {{"speedup", "every draft kept and free", "upper", "draft length + 1",
                          "a step gives one token more than it drafts"}};
        m_info.charts = {{"speedup_over_draft_length", "Speed-up over draft length", "draft_length", "speedup"},
                         {"speedup_over_acceptance", "Speed-up over acceptance", "acceptance", "speedup"},
                         {"speedup_over_batch", "Speed-up over batch", "batch", "speedup", ParamScale::Log2},
                         {"speedup_over_cost", "Speed-up over cost of a draft", "cost_ratio", "speedup"}};
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        SpeculativeSetting s;
        s.acceptance = std::get<double>(params.at("acceptance"));
        s.draftLength = static_cast<double>(integer(params, "draft_length"));
        s.costRatio = std::get<double>(params.at("cost_ratio"));
        s.batch = static_cast<double>(integer(params, "batch"));
        s.ridgeTokens = std::get<double>(params.at("ridge"));
        const std::uint64_t draws = integer(params, "draws");
        const SpeculativeRun drawn = simulateSpeculative(s, draws, context.rng());
        const OutputTest output = testOutput(s.acceptance, draws, context.rng());
        const double tokens = tokensPerStep(s.acceptance, s.draftLength);
        SpeculativeSetting best = s;
        best.draftLength = bestDraftLength(s);
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
        tell("speedup", speculativeSpeedup(s));
        context.metric("speedup_simulated", drawn.speedup, Provenance::Simulated);
        tell("tokens_per_step", tokens);
        context.metric("tokens_simulated", drawn.tokensPerStep, Provenance::Simulated);
        tell("verification_cost", verificationCost(s));
        tell("best_draft_length", best.draftLength);
        tell("best_speedup", speculativeSpeedup(best));
        tell("switch_off_batch", switchOffBatch(s));
        context.metric("chi_square", output.chiSquare, Provenance::Simulated);
        context.limit("speedup", s.draftLength + 1);
        context.check("drawn steps", std::abs(drawn.tokensPerStep / tokens - 1) < 0.01 + 10 / std::sqrt(double(draws)),
                      fmt::format("{:.5f} tokens drawn, {:.5f} by the formula", drawn.tokensPerStep, tokens));
        // One right run of a thousand is above the limit: twice it leaves one of a hundred million.
        context.check("the output is the large model's", output.chiSquare < 2.5 * output.limit,
                      fmt::format("chi-square {:.2f} with {} degrees; one of a thousand is above {:.2f}",
                                  output.chiSquare, output.freedom, output.limit));
        return {};
    }

private:
    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeSpeculative()
{
    return std::make_unique<SpeculativeExperiment>();
}

} // namespace ridge::labs
