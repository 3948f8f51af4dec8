// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_request.h"

#include <string_view>

namespace ridge::labs {

/// Whether the kernel `entry`, or a function that it can reach, reads a clock, a timer or a performance counter. Where
/// the text is no PTX that can be parsed, any mention counts.
bool readsClock(const std::string& ptx, std::string_view entry);

/// Whether such a reading can only come from the toolkit's waits: cuda::barrier and cuda::pipeline look at a timer to
/// wait less and less often. True where the file includes them and has nothing that could read a clock by itself:
/// no asm, no name with "clock" or "time" in it, no waiting for a given time, no names put together by macros.
bool onlyToolkitWaits(const KernelText& source);

} // namespace ridge::labs
