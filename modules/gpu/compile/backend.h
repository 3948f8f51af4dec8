// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/program.h"

#include <filesystem>
#include <optional>
#include <span>

namespace ridge::gpu {

/// PTX as a compiler gave it, with file names already those of the kernel.
struct Compiled {
    std::string ptx;
    std::string arch;    ///< "sm_80"
    std::string version; ///< of the compiler
    std::string cubin{}; ///< as Program::cubin
    std::string cubinArch{};
};

/// Installed instances of one compiler, best first, or why there is none.
struct Found {
    std::vector<std::filesystem::path> tools;
    std::string whyNone; ///< with what installs it
};

/// One way to PTX. Finding must be cheap (no process, no library is started); the rest may take its time.
struct Backend {
    std::string_view id;
    CompilerChoice choice;
    Found (*find)();
    /// Errors: "unusable" (not what it seems: too old, damaged, does not start).
    Result<std::string> (*version)(const std::filesystem::path& tool);
    /// `sm` is 10 × major + minor. Errors: "compile-failed" (the source is at fault), "unusable" (the next way may do
    /// better: does not start, does not know an architecture that old).
    Result<Compiled> (*compile)(const std::filesystem::path& tool, const KernelSource& source, int sm,
                                const CompileOptions& options);
    /// What besides source, tool and architecture decides over the output. `headers`: the source includes some that
    /// belong to the compiler, so that an upgrade of them counts, too.
    std::string (*inputs)(const std::filesystem::path& tool, bool headers);
};

extern const Backend kNvrtc;
extern const Backend kNvcc;
extern const Backend kClang;

/// PTX of assets/ptx.zip. Errors: "shipped-mismatch" (or it is not exact), "unusable" (none shipped, or only for newer
/// chips).
Result<Program> shippedProgram(const KernelSource& source, int sm, const CompileOptions& options);
CompilerInfo shippedInfo();

/// The folders of a person's own headers: none for the program's own kernels, which have no such.
std::vector<std::filesystem::path> wholeFileFolders(const CompileOptions& options);

/// "90a" for a kernel whose head says "Needs     sm_90a", what that chip alone has (wgmma); else the number as it is.
std::string archName(const KernelSource& source, int arch);

/// The newest of `known` that is not above `sm`.
std::optional<int> newestNotAbove(std::span<const int> known, int sm);

} // namespace ridge::gpu
