// SPDX-License-Identifier: GPL-3.0-or-later
#include "serving/economics/costs.h"

#include <algorithm>
#include <cmath>

namespace ridge::serving {
namespace {

double perMillion(const TokenPrices& p, double rate)
{
    return rate > 0 && p.utilisation > 0 ? p.gpuHour * p.gpus / (rate * p.utilisation * 3600) * 1e6 : 0;
}

} // namespace

double costPerMillionOutput(const TokenPrices& p)
{
    return perMillion(p, p.outputRate);
}

double costPerMillionInput(const TokenPrices& p)
{
    return perMillion(p, p.inputRate);
}

double costPerRequest(const TokenPrices& p)
{
    return (p.inputTokens * costPerMillionInput(p) + p.outputTokens * costPerMillionOutput(p)) / 1e6;
}

double apiPerRequest(const TokenPrices& p)
{
    return (p.inputTokens * p.apiInput + p.outputTokens * p.apiOutput) / 1e6;
}

double costPerMillion(const TokenPrices& p)
{
    const double tokens = p.inputTokens + p.outputTokens;
    return tokens > 0 ? costPerRequest(p) / tokens * 1e6 : 0;
}

double breakEvenUtilisation(TokenPrices p)
{
    p.utilisation = 1;
    const double api = apiPerRequest(p);
    return api > 0 ? costPerRequest(p) / api : INFINITY;
}

double annuity(double price, double rate, double years)
{
    if (years <= 0)
        return 0;
    return rate > 0 ? price * rate / -std::expm1(-years * std::log1p(rate)) : price / years;
}

double ownFixedPerGpuHour(const OwnOrRent& o)
{
    const double gpus = o.servers * o.gpusPerServer, price = o.servers * o.serverPrice * (1 + o.networkShare);
    // What is left at the end is worth less today.
    const double left = o.residual * price * std::pow(1 + o.discount, -o.years);
    const double year =
        annuity(price - left, o.discount, o.years) + o.staffYear + o.upkeepShare * o.servers * o.serverPrice;
    const double idle = o.serverWatts * o.idleShare / 1000 * o.pue * o.kilowattHour / o.gpusPerServer;
    return gpus > 0 ? year / (gpus * kHoursPerYear) + idle : 0;
}

double ownWorkPerGpuHour(const OwnOrRent& o)
{
    return o.serverWatts * (1 - o.idleShare) / 1000 * o.pue * o.kilowattHour / o.gpusPerServer;
}

double ownPerUsefulHour(const OwnOrRent& o)
{
    const double works = std::min(o.utilisation, 1 / std::max(1.0, o.peakToMean));
    return works > 0 ? ownFixedPerGpuHour(o) / works + ownWorkPerGpuHour(o) : 0;
}

double rentPerUsefulHour(const OwnOrRent& o)
{
    return o.cloudGpuHour * (1 - o.spotShare * o.spotDiscount) / (1 - o.spotShare * o.spotLoss);
}

double breakEvenOwning(const OwnOrRent& o)
{
    const double saved = rentPerUsefulHour(o) - ownWorkPerGpuHour(o);
    return saved > 0 ? ownFixedPerGpuHour(o) / saved : INFINITY;
}

double stayCost(const Porting& p)
{
    return p.fleet * p.gpuHour * p.utilisation * kHoursPerYear * p.years;
}

double portCost(const Porting& p)
{
    return p.fleet / p.speed * p.chipHour * p.utilisation * kHoursPerYear * p.years +
           (p.months + p.upkeepMonths * p.years) * p.engineerMonth;
}

double breakEvenFleet(const Porting& p)
{
    const double saved = (p.gpuHour - p.chipHour / p.speed) * p.utilisation * kHoursPerYear * p.years;
    const double engineers = (p.months + p.upkeepMonths * p.years) * p.engineerMonth;
    if (engineers <= 0)
        return saved >= 0 ? 0 : -1;
    return saved > 0 ? engineers / saved : -1;
}

} // namespace ridge::serving
