// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/launch_trace.h"
#include "gpu/device.h"

namespace ridge::labs {

/// Options that make a simulator with a clock watch the warps of its first SMs, within the bounds of a trace.
void watchWarps(gpu::TimingOptions& options);

/// What the report of a timed launch says, as scenes read it: at most some 1.5 MB, whatever the launch. `source` is the
/// text of the kernel's file, empty where it is not known. The report must have a TimingReport.
LaunchTrace launchTraceOf(const gpu::DeviceInfo& device, const gpu::Launch& launch, const gpu::LaunchReport& report,
                          std::string_view source);

} // namespace ridge::labs
