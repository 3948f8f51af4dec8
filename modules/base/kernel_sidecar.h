// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_request.h"

namespace ridge {

/// What a compiler wrote down beside its PTX about how the kernel is launched: Triton's metadata, the kernel.json of
/// its cache (torch.compile's Inductor has the same).
struct KernelSidecar {
    std::string path;
    std::string kernel;            ///< the entry of the PTX
    int arch = 0;                  ///< 10 * major + minor; 0: it does not say
    std::uint64_t warps = 0;       ///< of a block
    std::uint64_t sharedBytes = 0; ///< dynamic shared memory of a block
    std::uint64_t clusterBlocks = 1;
    /// Bytes for each block behind the pointers that the compiler adds after the kernel's own parameters; 0: the
    /// pointer is there and null.
    std::vector<std::uint64_t> scratch;
};

/// Whether a JSON document is one at all.
bool isSidecar(const Json& json);

/// Errors: "bad-sidecar" (names the key).
Result<KernelSidecar> sidecarFromJson(const Json& json, const std::string& path);

/// How many arguments the kernel of the sidecar takes of its own, before the scratch pointers. None where the PTX does
/// not have that kernel.
std::optional<std::size_t> ownArguments(const KernelSidecar& sidecar, std::string_view ptx);

/// What the command line says itself and the sidecar does not replace.
struct GivenLaunch {
    bool block = false, shared = false, cluster = false;
};

/// Fills in kernel, block, shared memory, cluster and the trailing arguments. The grid counts programs, as Triton's
/// does: each is a cluster of so many blocks. Errors: "bad-sidecar" where it was made for another kernel, chip or
/// number of warps than the PTX (names both), "bad-argument" where the kernel's own arguments are not all there.
Result<void> applySidecar(const KernelSidecar& sidecar, const GivenLaunch& given, KernelRunRequest& request);

} // namespace ridge
