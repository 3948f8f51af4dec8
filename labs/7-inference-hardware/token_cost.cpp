// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 7.4: what a million tokens cost.
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/cost_params.h"
#include "serving/economics/costs.h"

#include <fmt/core.h>

#include <cmath>

namespace ridge::labs {
namespace {

using namespace serving;

std::vector<ParamSpec> parameters()
{
    ParamSpec output = amountParam("output_rate", "Generated", "tokens/s", 1e12, 2500, "By all GPUs at full load.");
    output.min = 1e-6;
    ParamSpec use = amountParam("utilisation", "Utilisation", "", 1, 0.5, "Share of the paid hours at full load.");
    use.min = 1e-6;
    std::vector<ParamSpec> all{
        amountParam("price", "Price of a GPU-hour", "", 1e6, 2.5,
                    "Of one GPU, in your currency; costs come in the same."),
        integerParam("gpus", "GPUs", "GPUs", 1, 1 << 20, 1, ParamScale::Log2, "That generate at that rate together."),
        output,
        amountParam("input_rate", "Taken in", "tokens/s", 1e12, 20000,
                    "Tokens of prompts by all GPUs at full load. 0: prompts cost nothing."),
        use,
        amountParam("input_tokens", "Prompt", "tokens", 1e9, 1000, "Of a request."),
        amountParam("output_tokens", "Answer", "tokens", 1e9, 200, "Of a request."),
        amountParam("api_input", "Offer, input", "", 1e6, 0,
                    "What another offer asks for a million tokens of prompts."),
        amountParam("api_output", "Offer, output", "", 1e6, 0, "And for a million generated ones. 0 and 0: none."),
        spreadParam("price_spread", "Price, uncertainty", 0.1),
        spreadParam("rate_spread", "Rates, uncertainty", 0.2),
        spreadParam("utilisation_spread", "Utilisation, uncertainty", 0.3)};
    for (ParamSpec& each : moneyParams())
        all.push_back(std::move(each));
    return all;
}

class TokenCostExperiment : public Experiment {
public:
    TokenCostExperiment()
    {
        const char* money = "units of currency";
        m_info.id = "token_cost";
        m_info.title = "Cost of a token";
        m_info.module = 7;
        m_info.summary = "Turns the price of a GPU-hour, rates and utilisation into the cost of a million tokens.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = {
            {"cost_per_million", "A million tokens", money, "Of the mix of prompt and answer."},
            {"cost_per_million_output", "A million generated", money,
             "price x GPUs / (tokens/s x utilisation x 3600) x 10^6."},
            {"cost_per_million_input", "A million of prompts", money, "The same with the rate of prompts."},
            {"cost_per_request", "A request", money, "Prompt and answer."},
            {"break_even", "Break-even utilisation", "1",
             "At which a request costs what the other offer asks; above 1: it never does. None without an offer."},
            {"cheaper", "Probability of being cheaper", "1", "Than the offer, of the draws."}};
        for (MetricSpec& each : bandMetrics("cost_per_million", "A million tokens", money))
            m_info.metrics.push_back(std::move(each));
        m_info.limits = {{"cost_per_million", "full load", "lower", "the same with utilisation 1",
                          "machines cannot work more than all the time"}};
        m_info.charts = {
            {"cost_over_utilisation", "Cost over utilisation", "utilisation", "cost_per_million", ParamScale::Log2,
             ParamScale::Log2},
            {"cost_over_price", "Cost over price", "price", "cost_per_million"},
            {"cost_over_rate", "Cost over rate", "output_rate", "cost_per_million", ParamScale::Log2, ParamScale::Log2},
            {"cost_over_prompt", "Cost over prompt", "input_tokens", "cost_per_request"}};
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        TokenPrices p;
        p.gpuHour = real(params, "price");
        p.gpus = static_cast<double>(integer(params, "gpus"));
        p.outputRate = real(params, "output_rate");
        p.inputRate = real(params, "input_rate");
        p.utilisation = real(params, "utilisation");
        p.inputTokens = real(params, "input_tokens");
        p.outputTokens = real(params, "output_tokens");
        p.apiInput = real(params, "api_input");
        p.apiOutput = real(params, "api_output");
        if (p.inputTokens + p.outputTokens <= 0)
            return Error{"bad-value", "a request has no token", "output_tokens", "give a prompt or an answer"};
        const std::vector<UncertainInput> inputs{{"price", p.gpuHour, real(params, "price_spread"), 0},
                                                 {"output_rate", p.outputRate, real(params, "rate_spread"), 0},
                                                 {"input_rate", p.inputRate, real(params, "rate_spread"), 0},
                                                 {"utilisation", p.utilisation, real(params, "utilisation_spread"), 1}};
        const double api = apiPerRequest(p), tokens = p.inputTokens + p.outputTokens;
        const std::uint64_t before = callsBeforeDraws(inputs);
        std::uint64_t cheaper = 0, asked = 0;
        const UncertainResult band = explore(
            inputs,
            [&](std::span<const double> at) {
                TokenPrices q = p;
                q.gpuHour = at[0];
                q.outputRate = at[1];
                q.inputRate = at[2];
                q.utilisation = at[3];
                const double cost = costPerMillion(q);
                cheaper += ++asked > before && cost * tokens / 1e6 < api;
                return cost;
            },
            integer(params, "samples"), context.rng());
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
        tell("cost_per_million", costPerMillion(p));
        tell("cost_per_million_output", costPerMillionOutput(p));
        tell("cost_per_million_input", costPerMillionInput(p));
        tell("cost_per_request", costPerRequest(p));
        if (api > 0) {
            tell("break_even", breakEvenUtilisation(p));
            context.metric("cheaper", static_cast<double>(cheaper) / static_cast<double>(asked - before),
                           Provenance::Simulated);
        }
        tellBand("cost_per_million", band, context);
        TokenPrices full = p;
        full.utilisation = 1;
        context.limit("cost_per_million", costPerMillion(full));
        context.check("cost goes as 1 / utilisation",
                      std::abs(costPerMillion(p) * p.utilisation - costPerMillion(full)) <= 1e-9 * costPerMillion(full),
                      fmt::format("{:.6g} at {:.3g}, {:.6g} at full load", costPerMillion(p), p.utilisation,
                                  costPerMillion(full)));
        tellDate(params, context);
        return {};
    }

private:
    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeTokenCost()
{
    return std::make_unique<TokenCostExperiment>();
}

} // namespace ridge::labs
