// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 3.8: whether cheaper chips pay for the engineers who port to them.
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
    const auto atLeast = [](ParamSpec spec, double least) {
        spec.min = least;
        return spec;
    };
    std::vector<ParamSpec> all{
        amountParam("gpu_price", "Price of a GPU-hour", "", 1e6, 2.5,
                    "Network, power and space included; in your currency."),
        amountParam("chip_price", "Price of a chip-hour", "", 1e6, 1.25, "Of the other chip, in the same way."),
        atLeast(amountParam("speed", "Usable speed", "", 1000, 0.7,
                            "Of the other chip over the GPU's, on your work and not on the datasheet."),
                1e-3),
        amountParam("fleet", "Fleet", "GPUs", 1e7, 64, "GPUs that the work needs."),
        atLeast(amountParam("utilisation", "Utilisation", "", 1, 0.6, "Share of the hours that are paid for."), 1e-4),
        amountParam("months", "Porting", "months", 1e5, 36, "Of engineers."),
        amountParam("upkeep_months", "Upkeep", "months", 1e5, 12, "Of engineers, a year after that."),
        amountParam("engineer_month", "Price of an engineer's month", "", 1e7, 25000, "In your currency."),
        atLeast(amountParam("years", "Years", "", 50, 3, "That the fleet is used."), 0.1),
        spreadParam("price_spread", "Prices, uncertainty", 0.15),
        spreadParam("speed_spread", "Usable speed, uncertainty", 0.3),
        spreadParam("months_spread", "Months, uncertainty", 0.5),
        spreadParam("fleet_spread", "Fleet, uncertainty", 0.3)};
    for (ParamSpec& each : moneyParams())
        all.push_back(std::move(each));
    return all;
}

class PortingExperiment : public Experiment {
public:
    PortingExperiment()
    {
        const char* money = "units of currency";
        m_info.id = "porting";
        m_info.title = "Porting to another chip";
        m_info.module = 3;
        m_info.summary =
            "Weighs cheaper chips against the engineers who port to them, and finds the fleet at which it pays.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = {
            {"stay", "Staying", money, "GPUs over all the years."},
            {"port", "Porting", money, "Chips for the same work, and engineers."},
            {"saving", "Saving", money, "Of porting; below 0: it costs more."},
            {"engineers", "Engineers", money, "Part of porting."},
            {"break_even", "Break-even fleet", "GPUs", "From which on porting pays. None where it never does."},
            {"price_per_work", "Chip for a GPU's work", money, "Price of an hour over usable speed."},
            {"pays", "Probability that it pays", "1", "Of the draws."}};
        for (MetricSpec& each : bandMetrics("saving", "Saving", money))
            m_info.metrics.push_back(std::move(each));
        m_info.limits = {{"saving", "free chips", "upper", "staying - engineers", "chips that cost nothing"}};
        m_info.charts = {{"saving_over_fleet", "Saving over fleet", "fleet", "saving", ParamScale::Log2},
                         {"saving_over_speed", "Saving over usable speed", "speed", "saving"},
                         {"pays_over_fleet", "Probability over fleet", "fleet", "pays", ParamScale::Log2},
                         {"break_even_over_months", "Break-even over months", "months", "break_even"}};
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        Porting p;
        p.gpuHour = real(params, "gpu_price");
        p.chipHour = real(params, "chip_price");
        p.speed = real(params, "speed");
        p.fleet = real(params, "fleet");
        p.utilisation = real(params, "utilisation");
        p.months = real(params, "months");
        p.upkeepMonths = real(params, "upkeep_months");
        p.engineerMonth = real(params, "engineer_month");
        p.years = real(params, "years");
        const std::vector<UncertainInput> inputs{{"gpu_price", p.gpuHour, real(params, "price_spread"), 0},
                                                 {"chip_price", p.chipHour, real(params, "price_spread"), 0},
                                                 {"speed", p.speed, real(params, "speed_spread"), 0},
                                                 {"months", p.months, real(params, "months_spread"), 0},
                                                 {"fleet", p.fleet, real(params, "fleet_spread"), 0}};
        const std::uint64_t before = callsBeforeDraws(inputs);
        std::uint64_t paying = 0, asked = 0;
        const UncertainResult band = explore(
            inputs,
            [&](std::span<const double> at) {
                Porting q = p;
                q.gpuHour = at[0];
                q.chipHour = at[1];
                q.speed = at[2];
                q.months = at[3];
                q.fleet = at[4];
                const double saving = stayCost(q) - portCost(q);
                paying += ++asked > before && saving > 0;
                return saving;
            },
            integer(params, "samples"), context.rng());
        const double even = breakEvenFleet(p);
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
        tell("stay", stayCost(p));
        tell("port", portCost(p));
        tell("saving", stayCost(p) - portCost(p));
        const double engineers = (p.months + p.upkeepMonths * p.years) * p.engineerMonth;
        tell("engineers", engineers);
        context.limit("saving", stayCost(p) - engineers);
        if (even >= 0)
            tell("break_even", even);
        tell("price_per_work", p.chipHour / p.speed);
        context.metric("pays", static_cast<double>(paying) / static_cast<double>(asked - before),
                       Provenance::Simulated);
        tellBand("saving", band, context);
        if (even > 0) {
            Porting at = p;
            at.fleet = even;
            context.check("nothing is saved at break-even",
                          std::abs(stayCost(at) - portCost(at)) <= 1e-9 * stayCost(at),
                          fmt::format("staying {:.9g}, porting {:.9g}", stayCost(at), portCost(at)));
        } else if (even < 0) {
            context.log("a GPU's work costs no less on the other chip: no fleet is large enough");
        }
        tellDate(params, context);
        return {};
    }

private:
    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makePorting()
{
    return std::make_unique<PortingExperiment>();
}

} // namespace ridge::labs
