// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters of experiments that quantize: format, granularity, scaling, method.
#pragma once

#include "base/parameters.h"
#include "memory/quantize.h"

namespace ridge::labs {

ParamSpec quantFormatParam(const std::string& ofWhat);
ParamSpec granularityParam();
ParamSpec scalingParam();
ParamSpec methodParam(const std::string& others);

/// Of a checked, complete set that has these four.
memory::QuantScheme quantSchemeOf(const ParamSet& params);

} // namespace ridge::labs
