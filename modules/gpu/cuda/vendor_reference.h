// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/cuda_work.h"

namespace ridge::gpu::cuda {

/// The fastest of what the vendor offers for a product: cuBLAS's own choice, and every algorithm that cuBLASLt's
/// heuristic names with 64 MiB of workspace. Each is tried on the buffers of `product`, whose result it overwrites.
/// Errors: "no-reference" (neither library can be used, or neither can do it), "out-of-memory", "cancelled", and those
/// of kernels where a call breaks the context.
Result<std::unique_ptr<LoadedProgram>> vendorProduct(std::shared_ptr<Session> session, const MatrixProduct& product);

/// The driver's copy within device memory. Errors: "no-reference".
Result<std::unique_ptr<LoadedProgram>> driverCopy(std::shared_ptr<Session> session, const DeviceCopy& copy);

} // namespace ridge::gpu::cuda
