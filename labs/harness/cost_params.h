// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"
#include "serving/economics/uncertain.h"

#include "labs/experiment.h"

namespace ridge::labs {

/// "price_date" and "samples", which every experiment on money has.
std::vector<ParamSpec> moneyParams();
/// The share by which a value may be off, up and down.
ParamSpec spreadParam(std::string name, std::string title, double usual);
/// Metrics "<name>_p5", "_p50", "_p95" with their titles.
std::vector<MetricSpec> bandMetrics(const std::string& name, const std::string& title, const std::string& unit);
/// Tells them, and the swings of the tornado as lines of the log.
void tellBand(const std::string& name, const serving::UncertainResult& result, RunContext& context);
/// Says of which day the prices are.
void tellDate(const ParamSet& params, RunContext& context);

inline double real(const ParamSet& params, const char* name)
{
    return std::get<double>(params.at(name));
}

} // namespace ridge::labs
