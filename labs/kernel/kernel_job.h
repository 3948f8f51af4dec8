// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_request.h"
#include "labs/harness/target.h"

namespace ridge::labs {

/// Compiles and launches a kernel of the learner's: Started, Progress*, Kernel. What the kernel itself does wrong is a
/// report in the document, not an error. `goOn` is asked where the request is pausable.
Result<void> runKernel(const KernelRunRequest& request, const EventSink& sink, const gpu::StopRequested& stop,
                       const GoOn& goOn);

/// What a file compiles to, by kernel, line and machine instruction: Started, Progress, Kernel.
Result<void> compileKernels(const KernelCompileRequest& request, const EventSink& sink, const gpu::StopRequested& stop);

} // namespace ridge::labs
