// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 7.7: to own machines or to rent them.
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
    const auto share = [](const char* name, const char* title, double usual, const char* help) {
        return amountParam(name, title, "", 1, usual, help);
    };
    const auto atLeast = [](ParamSpec spec, double least) {
        spec.min = least;
        return spec;
    };
    ParamSpec loss = share("spot_loss", "Work lost", 0.1, "Of spot hours, when they are taken away.");
    loss.max = 0.99;
    std::vector<ParamSpec> all{
        integerParam("servers", "Servers", "", 1, 1 << 20, 16, ParamScale::Log2, "That are bought."),
        integerParam("gpus_per_server", "GPUs of a server", "GPUs", 1, 1024, 8, ParamScale::Log2, "Of each."),
        amountParam("server_price", "Price of a server", "", 1e9, 280000, "In your currency; costs come in the same."),
        amountParam("network_share", "Network and storage", "", 10, 0.2, "Share of the servers' price on top."),
        share("residual", "Left at the end", 0.1, "Share of the price that machines are worth at the end."),
        atLeast(amountParam("years", "Years", "", 50, 4, "That machines are used."), 0.25),
        amountParam("discount", "Discount", "", 1, 0.08, "Of money, a year: 0.08 for 8 %."),
        amountParam("server_power", "Power of a server", "W", 1e6, 10200, "At full load."),
        share("idle_power", "Idle power", 0.3, "Share of that where it does nothing."),
        atLeast(amountParam("pue", "PUE", "", 10, 1.3, "Power of the building over that of the machines."), 1),
        amountParam("kilowatt_hour", "Price of a kWh", "", 100, 0.12, "In your currency."),
        amountParam("staff_year", "Staff, a year", "", 1e9, 200000, "For all servers."),
        share("upkeep", "Space and contracts", 0.05, "Share of the servers' price, a year."),
        amountParam("cloud_price", "Price of a rented GPU-hour", "", 1e6, 3, "In your currency."),
        share("spot_share", "Spot share", 0, "Of the rented hours."),
        share("spot_discount", "Spot discount", 0.6, "Share of the price that spot saves."),
        loss,
        atLeast(share("utilisation", "Utilisation", 0.6, "Share of all hours in which there is work."), 1e-4),
        atLeast(amountParam("peak", "Peak over mean", "", 100, 1,
                            "Of the load. Owned machines must hold the peak; rented ones follow the load."),
                1),
        amountParam("tokens_per_gpu", "Tokens of a GPU", "tokens/s", 1e9, 1000, "At full load. 0: no cost a token."),
        spreadParam("price_spread", "Price of a server, uncertainty", 0.15),
        spreadParam("cloud_spread", "Price of an hour, uncertainty", 0.25),
        spreadParam("power_spread", "Price of a kWh, uncertainty", 0.3),
        spreadParam("utilisation_spread", "Utilisation, uncertainty", 0.3)};
    for (ParamSpec& each : moneyParams())
        all.push_back(std::move(each));
    return all;
}

class TcoExperiment : public Experiment {
public:
    TcoExperiment()
    {
        const char* money = "units of currency";
        m_info.id = "tco";
        m_info.title = "To own or to rent";
        m_info.module = 7;
        m_info.summary = "Compares what a useful GPU-hour costs owned and rented, with its break-even and uncertainty.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = {
            {"own_per_hour", "Owned hour of work", money, "Of one GPU."},
            {"rent_per_hour", "Rented hour of work", money, "Of one GPU, what spot loses included."},
            {"own_fixed", "Owned hour, work or not", money, "Of one GPU."},
            {"own_work", "What work adds", money, "Power of one GPU's share of the server above idling."},
            {"break_even", "Break-even utilisation", "1", "At which both cost the same; above 1: owning never pays."},
            {"own_year", "Owned, a year", money, "Of all GPUs at this utilisation."},
            {"rent_year", "Rented, a year", money, "The same work."},
            {"cost_per_million", "A million tokens, owned", money, "At full load of each hour of work."},
            {"rent_per_million", "A million tokens, rented", money, "The same."},
            {"owning_cheaper", "Probability that owning is cheaper", "1", "Of the draws."}};
        for (MetricSpec& each : bandMetrics("break_even", "Break-even utilisation", "1"))
            m_info.metrics.push_back(std::move(each));
        m_info.limits = {{"own_per_hour", "always at work", "lower", "fixed hour + what work adds",
                          "at a utilisation of 1 no owned hour is idle"}};
        m_info.charts = {{"own_over_utilisation", "Owned hour over utilisation", "utilisation", "own_per_hour",
                          ParamScale::Log2, ParamScale::Log2},
                         {"break_even_over_price", "Break-even over price of an hour", "cloud_price", "break_even",
                          ParamScale::Log2},
                         {"break_even_over_years", "Break-even over years", "years", "break_even"},
                         {"own_over_peak", "Owned hour over peak", "peak", "own_per_hour"}};
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        OwnOrRent o;
        o.servers = static_cast<double>(integer(params, "servers"));
        o.gpusPerServer = static_cast<double>(integer(params, "gpus_per_server"));
        o.serverPrice = real(params, "server_price");
        o.networkShare = real(params, "network_share");
        o.residual = real(params, "residual");
        o.years = real(params, "years");
        o.discount = real(params, "discount");
        o.serverWatts = real(params, "server_power");
        o.idleShare = real(params, "idle_power");
        o.pue = real(params, "pue");
        o.kilowattHour = real(params, "kilowatt_hour");
        o.staffYear = real(params, "staff_year");
        o.upkeepShare = real(params, "upkeep");
        o.cloudGpuHour = real(params, "cloud_price");
        o.spotShare = real(params, "spot_share");
        o.spotDiscount = real(params, "spot_discount");
        o.spotLoss = real(params, "spot_loss");
        o.utilisation = real(params, "utilisation");
        o.peakToMean = real(params, "peak");
        o.tokensPerGpuSecond = real(params, "tokens_per_gpu");
        const double rent = rentPerUsefulHour(o), own = ownPerUsefulHour(o), even = breakEvenOwning(o);
        if (!std::isfinite(even))
            return Error{"no-break-even",
                         fmt::format("a rented hour costs {:.4g}, and the power alone of an owned one {:.4g}", rent,
                                     ownWorkPerGpuHour(o)),
                         "cloud_price", "owning cannot pay at any utilisation; take a higher price of a rented hour"};
        const std::vector<UncertainInput> inputs{{"server_price", o.serverPrice, real(params, "price_spread"), 0},
                                                 {"cloud_price", o.cloudGpuHour, real(params, "cloud_spread"), 0},
                                                 {"kilowatt_hour", o.kilowattHour, real(params, "power_spread"), 0},
                                                 {"utilisation", o.utilisation, real(params, "utilisation_spread"), 1}};
        const std::uint64_t before = callsBeforeDraws(inputs);
        std::uint64_t cheaper = 0, asked = 0;
        const UncertainResult band = explore(
            inputs,
            [&](std::span<const double> at) {
                OwnOrRent q = o;
                q.serverPrice = at[0];
                q.cloudGpuHour = at[1];
                q.kilowattHour = at[2];
                q.utilisation = at[3];
                cheaper += ++asked > before && ownPerUsefulHour(q) < rentPerUsefulHour(q);
                const double at50 = breakEvenOwning(q);
                return std::isfinite(at50) ? at50 : 1e6;
            },
            integer(params, "samples"), context.rng());
        const double gpus = o.servers * o.gpusPerServer;
        const double works = std::min(o.utilisation, 1 / o.peakToMean), hours = gpus * kHoursPerYear * works;
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
        tell("own_per_hour", own);
        context.limit("own_per_hour", ownFixedPerGpuHour(o) + ownWorkPerGpuHour(o));
        tell("rent_per_hour", rent);
        tell("own_fixed", ownFixedPerGpuHour(o));
        tell("own_work", ownWorkPerGpuHour(o));
        tell("break_even", even);
        tell("own_year", own * hours);
        tell("rent_year", rent * hours);
        if (o.tokensPerGpuSecond > 0) {
            tell("cost_per_million", own / (o.tokensPerGpuSecond * 3600) * 1e6);
            tell("rent_per_million", rent / (o.tokensPerGpuSecond * 3600) * 1e6);
        }
        context.metric("owning_cheaper", static_cast<double>(cheaper) / static_cast<double>(asked - before),
                       Provenance::Simulated);
        tellBand("break_even", band, context);
        OwnOrRent at = o;
        at.utilisation = even;
        at.peakToMean = 1;
        context.check("both cost the same at break-even", std::abs(ownPerUsefulHour(at) / rent - 1) < 1e-9 || even > 1,
                      fmt::format("owned {:.9g}, rented {:.9g}", ownPerUsefulHour(at), rent));
        tellDate(params, context);
        return {};
    }

private:
    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeTco()
{
    return std::make_unique<TcoExperiment>();
}

} // namespace ridge::labs
