// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/cuda_work.h"
#include "gpu/reference.h"

namespace ridge::gpu::cuda {

/// The fastest of what the vendor offers for a product: cuBLAS's own choice, and every algorithm that cuBLASLt's
/// heuristic names with 64 MiB of workspace. Each is tried on the buffers of `product`, whose result it overwrites.
/// Errors: "no-reference" (neither library can be used, or neither can do it), "out-of-memory", "cancelled", and those
/// of kernels where a call breaks the context.
Result<std::unique_ptr<LoadedProgram>> vendorProduct(std::shared_ptr<Session> session, const MatrixProduct& product);

/// The fastest of the engines that cuDNN's heuristics name for a norm, each tried on the buffers of `norm`, whose
/// result it overwrites. Errors: "no-reference" (cuDNN is not there, older than 9, or has no engine for it; with its
/// own words), and those of vendorProduct().
Result<std::unique_ptr<LoadedProgram>> vendorNorm(std::shared_ptr<Session> session, const RowNorm& norm);

/// The same for an attention: cuDNN 9.13.1 and newer, with a causal mask 9.21. Errors: those of vendorNorm().
Result<std::unique_ptr<LoadedProgram>> vendorAttention(std::shared_ptr<Session> session, const Attention& work);

/// The driver's copy within device memory. Errors: "no-reference".
Result<std::unique_ptr<LoadedProgram>> driverCopy(std::shared_ptr<Session> session, const DeviceCopy& copy);

/// A copy to the next GPU, by the driver or by NCCL. The events of the session's stream enclose both sides. Errors:
/// "no-reference" (NCCL is not there, too old, or does not join the two GPUs; with its own words), "bad-launch" (no
/// peer memory of this session, or too little).
Result<std::unique_ptr<LoadedProgram>> peerCopy(std::shared_ptr<Session> session, const PeerCopy& copy);

/// NCCL's all-reduce over the two GPUs. Errors: those of peerCopy().
Result<std::unique_ptr<LoadedProgram>> peerSum(std::shared_ptr<Session> session, const PeerSum& sum);

} // namespace ridge::gpu::cuda
