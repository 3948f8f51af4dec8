// SPDX-License-Identifier: GPL-3.0-or-later
// The PTX that is shipped for machines without a compiler: one archive, assets/ptx.zip, and its manifest,
// assets/ptx.json, which says of every file in it what it was made from, by whom and for which chip. tools/make-ptx
// writes both.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ridge::gpu {

/// One file of the archive.
struct ShippedPtx {
    std::string file;         ///< "family/01_name.ptx", "family/01_name.sm_70.ptx"
    std::string source;       ///< below kernels/, "family/01_name.cu"
    std::string sourceSha256; ///< of that source when the PTX was made
    std::string arch;         ///< "sm_75"
    std::string compiler;     ///< "nvcc 13.0"
    std::string sha256;       ///< of the PTX
    int sm = 0;               ///< 75 of "sm_75", 90 of "sm_90a"
};

/// The manifest in `assets`. Errors: "no-ptx" (no manifest), "bad-ptx-manifest" with the place in it; both name the
/// file and tools/make-ptx.
Result<std::vector<ShippedPtx>> shippedPtx(const std::filesystem::path& assets);

/// The text of one of them, checked against its digest. Errors: "bad-ptx-archive" (missing, unreadable, without that
/// file, or with other bytes than the manifest says).
Result<std::string> readShippedPtx(const std::filesystem::path& assets, const ShippedPtx& wanted);

} // namespace ridge::gpu
