// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace ridge::labs {

/// What a person can do about each part of a verdict on a measurement ("on battery, unsteady (…)"); nothing of a valid
/// one, nor of a part that says how the work is and not the machine ("resident in L2").
std::vector<std::string> adviceOn(const std::string& verdict);

} // namespace ridge::labs
