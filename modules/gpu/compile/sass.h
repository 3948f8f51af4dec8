// SPDX-License-Identifier: GPL-3.0-or-later
// What NVIDIA's own assembler makes of PTX, and from which source line: ptxas, then nvdisasm. Neither comes with this
// program, and neither needs a GPU.
#pragma once

#include "gpu/program.h"

#include <cstdint>
#include <filesystem>
#include <utility>

namespace ridge::gpu {

struct SassLine {
    std::uint64_t address = 0; ///< in bytes from the kernel's begin
    std::string text;          ///< "@P0 EXIT"
    std::string file;          ///< of the source as the PTX names it; empty: no line is known
    int line = 0;
};

struct SassKernel {
    std::string entry;           ///< as the PTX names it; a function that was not inlined stands here too
    std::vector<SassLine> lines; ///< without what pads the end
};

struct Sass {
    std::string arch;                      ///< "sm_90"
    std::filesystem::path ptxas, nvdisasm; ///< what made it
    std::vector<SassKernel> kernels;
};

/// The two tools, without starting them: those that RIDGE_PTXAS and RIDGE_NVDISASM name, else in PATH, in a CUDA
/// toolkit or in NVIDIA's Python packages. Errors: "no-sass" with what is missing and what installs it.
Result<std::pair<std::filesystem::path, std::filesystem::path>> sassTools();

/// Machine code of the program's PTX for sm_`sm` (or for exactly its own target, as sm_90a). Errors: as sassTools;
/// "no-sass" (with the tools' own words), "cancelled".
Result<Sass> sassOf(const Program& program, int sm, bool exact, const std::function<bool()>& stop);

/// The text of `nvdisasm -g -c`.
std::vector<SassKernel> readSass(std::string_view text);

} // namespace ridge::gpu
