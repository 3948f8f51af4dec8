// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::gpu::cuda {

/// What must be known of PTX before the driver sees it: cuLaunchKernel trusts the caller about the number and size
/// of arguments and reads past them if they are wrong.
struct PtxFacts {
    int versionMajor = 0; ///< PTX ISA, 0 when the text names none
    int versionMinor = 0;
    int targetArch = 0;                                      ///< 90 for sm_90, 0 when the text names none
    bool architectureSpecific = false;                       ///< sm_90a: runs on that capability only
    std::map<std::string, std::vector<std::size_t>> entries; ///< kernel -> bytes of each parameter
};

PtxFacts readPtxFacts(std::string_view ptx);

/// What reads a PTX ISA version: CUDA release and the first Linux driver branch that carries it.
struct PtxNeeds {
    std::string cuda;
    int driver = 0;
};
std::optional<PtxNeeds> needsOfPtx(int versionMajor, int versionMinor);

} // namespace ridge::gpu::cuda
