// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

namespace ridge::gpu::cuda {

/// One row for each GPU that the driver shows, or one unavailable row gpu:0 with reason and fix. Takes as long as
/// the driver takes to start (up to seconds) and may hang with it: call it in ridge-worker only.
std::vector<TargetInfo> probeCuda();

/// Opens GPU `index`. The driver is opened at run time; nothing of CUDA is linked.
/// A kernel that faults, hangs or is cancelled while it runs closes the device: every later call answers with the
/// same error, and nothing is given back to the driver, which would block on a kernel that never ends. A process
/// that has met such an error should end with _exit().
/// Errors: "no-driver", "driver-too-old", "driver-failed", "target-unavailable", "out-of-memory".
Result<std::unique_ptr<Device>> openCudaDevice(int index, const DeviceOptions& options);

} // namespace ridge::gpu::cuda
