// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/compile/backend.h"

namespace ridge::gpu {

/// What nvcc and clang share: both are programs that read a file, write a file and complain on standard error.

/// The tool that `variable` names, if it is set, and no other; else each of `names` in `folders`.
Found findNamed(const char* variable, const std::vector<std::filesystem::path>& folders,
                const std::vector<std::string>& names, const std::string& whyNone);

/// Runs `tool` on `source` in a folder of its own; the output file and the source file follow `args`.
/// Errors: as Backend::compile.
Result<Compiled> compileInChild(std::string_view id, const std::filesystem::path& tool, const std::string& version,
                                const KernelSource& source, std::vector<std::string> args);

} // namespace ridge::gpu
