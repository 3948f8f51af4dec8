// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/compile/backend.h"

namespace ridge::gpu {

/// What nvcc and clang share: both are programs that read a file, write a file and complain on standard error.

/// The tool that `variable` names, if it is set, and no other; else each of `names` in `folders`.
Found findNamed(const char* variable, const std::vector<std::filesystem::path>& folders,
                const std::vector<std::string>& names, const std::string& whyNone);

/// What is asked of a tool: the output file and the input file follow each list.
struct ChildArgs {
    std::vector<std::string> toPtx;
    std::vector<std::string> toCubin;                    ///< from the PTX; empty: no machine code
    std::string cubinArch;                               ///< "sm_90": what that is for
    bool exact = false;                                  ///< CompileOptions::exact
    std::function<bool()> stop{};                        ///< CompileOptions::stop
    std::vector<std::filesystem::path> includeFolders{}; ///< errors in their headers are the source's own
};

/// Runs `tool` on `source` in a folder of its own. Where it has no assembler there is no machine code.
/// Errors: as Backend::compile.
Result<Compiled> compileInChild(std::string_view id, const std::filesystem::path& tool, const std::string& version,
                                const KernelSource& source, ChildArgs args);

} // namespace ridge::gpu
