// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/parameters.h"
#include "silicon/chip_catalogue.h"

namespace ridge::labs {

/// A choice among the chips of the shipped table whose memory, bandwidth and at least one peak are known, in its order;
/// `defaultChip` alone where there is no table.
ParamSpec chipParam(std::string name, std::string title, std::string defaultChip, std::string help);

/// The chip that a checked parameter names. Errors: those of the catalogue.
Result<silicon::Chip> chipOf(const silicon::Catalogue& catalogue, const ParamSet& params, const char* name);

} // namespace ridge::labs
