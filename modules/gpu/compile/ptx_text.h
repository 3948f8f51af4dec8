// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ridge::gpu {

/// Rewrites the table of source files (".file 1 "/tmp/x/kernel.cu", time, size"): `compiledAs` becomes `name`, headers
/// lose their folder. So the same source gives the same PTX in every folder, and line numbers lead to the kernel the
/// reader knows.
std::string withSourceName(std::string_view ptx, std::string_view compiledAs, const std::string& name);

/// Sums, differences and products of halves and bfloat16 that are to be rounded each by itself. CUDA's headers write
/// them in assembly without .rn, whatever -fmad says, and ptxas makes one fused operation of two.
std::string withHalvesApart(std::string_view ptx);

/// "sm_80" of the .target line; empty when there is none.
std::string targetOfPtx(std::string_view ptx);

/// The "// key: value" lines at the very top.
std::map<std::string, std::string> headOfPtx(std::string_view ptx);

} // namespace ridge::gpu
