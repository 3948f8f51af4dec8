// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/cost_params.h"

#include <fmt/core.h>

namespace ridge::labs {

std::vector<ParamSpec> moneyParams()
{
    return {textParam("price_date", "Date of the prices",
                      "When they held, as 2026-11-28. They are yours: the program knows none."),
            integerParam("samples", "Draws", "", 1, 1000000, 20000, ParamScale::Log2, "Of the uncertain values.")};
}

ParamSpec spreadParam(std::string name, std::string title, double usual)
{
    return amountParam(std::move(name), std::move(title), "", 0.99, usual,
                       "Share by which it may be off, up and down. 0: it is known.");
}

std::vector<MetricSpec> bandMetrics(const std::string& name, const std::string& title, const std::string& unit)
{
    return {{name + "_p5", title + ", 5th percentile", unit, "Of the draws."},
            {name + "_p50", title + ", median", unit, "Of the draws."},
            {name + "_p95", title + ", 95th percentile", unit, "Of the draws."}};
}

void tellBand(const std::string& name, const serving::UncertainResult& result, RunContext& context)
{
    context.metric(name + "_p5", result.p5, Provenance::Simulated);
    context.metric(name + "_p50", result.p50, Provenance::Simulated);
    context.metric(name + "_p95", result.p95, Provenance::Simulated);
    for (const serving::Swing& each : result.swings)
        context.log(fmt::format("tornado: {}: {:.4g} to {:.4g}", each.name, each.low, each.high));
}

void tellDate(const ParamSet& params, RunContext& context)
{
    const std::string& date = std::get<std::string>(params.at("price_date"));
    context.log(date.empty() ? "the prices have no date: write one, for they change" : "prices of " + date);
}

} // namespace ridge::labs
