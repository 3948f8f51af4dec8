// SPDX-License-Identifier: GPL-3.0-or-later
// What tokens and machines cost. No price is known here: every one is given by whoever asks, in a currency of theirs.
#pragma once

namespace ridge::serving {

inline constexpr double kHoursPerYear = 8760;

struct TokenPrices {
    double gpuHour = 0; ///< price of one GPU and hour
    double gpus = 1;
    double outputRate = 0;              ///< tokens/s that all GPUs generate at full load
    double inputRate = 0;               ///< tokens/s of prompts that they take in at full load; 0: prompts cost nothing
    double utilisation = 1;             ///< share of the hours paid for in which they work at full load
    double inputTokens = 0;             ///< of a request
    double outputTokens = 1;            ///< of a request
    double apiInput = 0, apiOutput = 0; ///< another offer's prices of a million tokens
};

/// price x GPUs / (tokens/s x utilisation x 3600) x 10^6.
double costPerMillionOutput(const TokenPrices& prices);
double costPerMillionInput(const TokenPrices& prices);
double costPerRequest(const TokenPrices& prices);
double apiPerRequest(const TokenPrices& prices);
/// Of a million tokens of the mix, prompts and answers together.
double costPerMillion(const TokenPrices& prices);
/// The utilisation at which a request costs what the other offer asks for it; above 1: it never does.
double breakEvenUtilisation(TokenPrices prices);

struct OwnOrRent {
    double servers = 1, gpusPerServer = 8;
    double serverPrice = 0;
    double networkShare = 0; ///< of the servers' price, for switches and storage
    double residual = 0;     ///< share of the price that is left at the end
    double years = 4;
    double discount = 0;           ///< a year, 0.08 for 8 %
    double serverWatts = 0;        ///< at full load
    double idleShare = 0;          ///< of those watts where it does nothing
    double pue = 1;                ///< of the building
    double kilowattHour = 0;       ///< price
    double staffYear = 0;          ///< of all servers
    double upkeepShare = 0;        ///< of the servers' price, a year: space, contracts, spare parts
    double cloudGpuHour = 0;       ///< price
    double spotShare = 0;          ///< of the hours that are rented as spot
    double spotDiscount = 0;       ///< share of the price that they save
    double spotLoss = 0;           ///< share of their work that is lost when they are taken away
    double utilisation = 0.5;      ///< share of all hours in which the work is there
    double peakToMean = 1;         ///< of the load: owned machines must hold the peak, rented ones follow
    double tokensPerGpuSecond = 0; ///< at full load; 0: not asked
};

/// The yearly payment of a price over some years: price x r / (1 - (1 + r)^-n), or price / n without discount.
double annuity(double price, double rate, double years);
/// A GPU-hour owned, whether it works or not, without what its work adds.
double ownFixedPerGpuHour(const OwnOrRent& o);
/// What an hour of full work adds: power above idling.
double ownWorkPerGpuHour(const OwnOrRent& o);
/// A useful GPU-hour: fixed / utilisation + work, where owned machines cannot work more than 1 / peakToMean of the
/// time.
double ownPerUsefulHour(const OwnOrRent& o);
/// A useful GPU-hour rented: price x (1 - spot share x discount), over what spot hours do not lose.
double rentPerUsefulHour(const OwnOrRent& o);
/// The utilisation at which both cost the same: fixed / (rent - work); above 1: owning never pays.
double breakEvenOwning(const OwnOrRent& o);

struct Porting {
    double gpuHour = 0;       ///< price of the GPU that is used now
    double chipHour = 0;      ///< price of the other chip
    double speed = 1;         ///< usable performance of the other chip over the GPU's, on the work at hand
    double fleet = 0;         ///< GPUs that the work needs
    double utilisation = 1;   ///< share of the hours that are paid for
    double months = 0;        ///< of engineers, to port
    double upkeepMonths = 0;  ///< of engineers, a year after that
    double engineerMonth = 0; ///< price
    double years = 3;
};

double stayCost(const Porting& p);
double portCost(const Porting& p); ///< chips for the same work, and engineers
/// GPUs from which on porting pays: engineers / ((price - other price / speed) x hours). 0: at once; below 0: never.
double breakEvenFleet(const Porting& p);

} // namespace ridge::serving
