// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_request.h"
#include "labs/harness/target.h"

namespace ridge::labs {

/// Runs a learner's kernel through the cases of its task and tells what it saw: Started, Progress*, Kernel with a
/// GradeFacts document. What the kernel does wrong is a fact, not an error.
/// Errors: "unknown-task", "bad-task", "wrong-signature", "bad-launch-line", "not-self-contained", those of compiling
/// and of the device, "reference-wrong" (the task's own solution fails: a fault of the task).
Result<void> gradeKernel(const KernelGradeRequest& request, const EventSink& sink, const gpu::StopRequested& stop);

} // namespace ridge::labs
