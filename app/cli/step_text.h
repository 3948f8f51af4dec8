// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"
#include "base/step_trace.h"

#include <string>

namespace ridge::cli {

/// A line a step: number, warp, source line, lanes, instruction, and what it wrote.
std::string stepsText(const StepTrace& trace);

/// {kernel, block, cut, steps: [{step, warp, line, ptx_line, instruction, active, executed, writes: [{register,
/// values}], access}]}; masks are hexadecimal, values those of the lanes that executed, lowest first.
Json stepsToJson(const StepTrace& trace);

} // namespace ridge::cli
