// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_request.h"
#include "labs/harness/target.h"

namespace ridge::labs {

/// Answers a kernel request with its events: Started, Progress*, Kernel, Finished or Failed. What the kernel itself
/// does wrong is a report in the document, not a failure. `stop` and `stopReason` as for execute(); `goOn` is asked
/// where the request is pausable. Returns true when the request finished, false when it failed.
bool executeKernel(const KernelRequest& request, const EventSink& sink, const gpu::StopRequested& stop,
                   const std::function<Error()>& stopReason, const GoOn& goOn = {});

} // namespace ridge::labs
