// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/driver.h"

namespace ridge::gpu::cuda {
struct Library;
}

/// The part of NCCL that is used, declared here so that nothing of CUDA is needed to build. Names, signatures and
/// numbers follow nccl.h of NCCL 2.32 (where CUDA_HOME has it, tst_vendor_headers holds them to it); send and receive
/// are in it since 2.7.
namespace ridge::gpu::cuda::nccl {

using Status = int;

inline constexpr Status kSuccess = 0;
/// ncclDataType_t
inline constexpr int kUint8 = 1, kFloat32 = 7;
/// ncclRedOp_t
inline constexpr int kSum = 0;

using Comm = struct CommOpaque*;

/// Entry points of libnccl.
struct Entries {
    Status (*initAll)(Comm* comms, int count, const int* devices) = nullptr;
    Status (*destroy)(Comm comm) = nullptr;
    Status (*groupStart)() = nullptr;
    Status (*groupEnd)() = nullptr;
    Status (*send)(const void* from, std::size_t count, int type, int peer, Comm comm, CuStream stream) = nullptr;
    Status (*receive)(void* to, std::size_t count, int type, int peer, Comm comm, CuStream stream) = nullptr;
    Status (*allReduce)(const void* from, void* to, std::size_t count, int type, int operation, Comm comm,
                        CuStream stream) = nullptr;
    const char* (*statusText)(Status status) = nullptr;
    const char* (*lastError)(Comm comm) = nullptr; ///< may be absent: since 2.13
};

/// Fills `api`; the name of an entry that is not there, or null. Looking them up needs no GPU.
const char* missingEntry(const Library& library, Entries& api);

} // namespace ridge::gpu::cuda::nccl
