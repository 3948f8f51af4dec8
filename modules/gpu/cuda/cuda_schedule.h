// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/cuda_program.h"
#include "gpu/schedule.h"

namespace ridge::gpu::cuda {

/// Runs a schedule whose programs and addresses the device has found to be its own, on streams of its own or as a
/// graph captured from them. Errors: "bad-schedule", "driver-too-old" (names the entry point and the driver that has
/// it), "gate-opened" (the driver refuses to hold a stream, or did not long enough), "cancelled", "time-limit", those
/// of kernels and copies; each names the operation that it comes from, as far as the driver tells.
Result<ScheduleReport> runSchedule(Session& session, const Schedule& schedule, const ScheduleOptions& options);

} // namespace ridge::gpu::cuda
