// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/driver.h"

namespace ridge::gpu::cuda {

/// "CUDA_ERROR_NO_DEVICE (100)".
std::string codeText(const Driver& driver, CuResult code);

/// Why the driver could not start, and what to do. Code "driver-failed".
Error initError(const Driver& driver, CuResult code);

/// A failing call outside kernels. Codes "out-of-memory", "gpu-lost", "driver-failed".
Error callError(const Driver& driver, CuResult code, const std::string& doing, const std::string& place);

/// True when the context is beyond repair: every later call would answer with the same code.
bool isSticky(CuResult code);

/// A kernel that failed while running. Codes "out-of-bounds", "misaligned", "time-limit", "bad-launch",
/// "launch-failed", "gpu-lost"; names the kernel.
Error kernelError(const Driver& driver, CuResult code, const std::string& kernel, const std::string& place);

} // namespace ridge::gpu::cuda
