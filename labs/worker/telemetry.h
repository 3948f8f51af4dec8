// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace ridge::labs {

/// Writes what NVML says of one GPU as a line of JSON on standard output, at once and then every `periodMs`, until
/// standard input ends or nobody reads any more. What the GPU does not tell is missing from the line. Nothing runs on
/// the GPU for it. 0, or 1 after an error as JSON on standard error: no such GPU ("unknown-target"), no
/// NVML ("no-nvml"), or those of the driver.
int telemetry(const std::string& target, int periodMs);

} // namespace ridge::labs
