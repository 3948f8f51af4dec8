// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <functional>
#include <string>
#include <vector>

namespace ridge::gpu {

/// Kernel source below kernels/.
struct KernelSource {
    std::string name; ///< "coalescing/01_strided_read.cu": path below kernels/
    std::string text;
};

/// PTX and how it came to be.
struct Program {
    std::string name; ///< KernelSource::name or the file given by the user
    std::string ptx;
    std::string arch;            ///< "sm_80"
    std::string compiler;        ///< "nvrtc", "nvcc", "clang" or "shipped"
    std::string compilerVersion; ///< "13.0", "14.0.6"; for shipped PTX that of the compiler that made it
    std::string sourceSha256;
    std::string cubin{};     ///< the same compiler's machine code; empty: the driver makes it from the PTX
    std::string cubinArch{}; ///< "sm_90", "sm_90a": what `cubin` runs on
};

enum class CompilerChoice { Automatic, Nvrtc, Nvcc, Clang, Shipped };

/// "auto", "nvrtc", "nvcc", "clang", "shipped" (environment RIDGE_COMPILER or a command-line flag).
Result<CompilerChoice> compilerFromText(std::string_view text);

struct CompilerInfo {
    std::string id;      ///< as Program::compiler
    std::string version; ///< empty when absent
    bool available = false;
    std::string detail; ///< path, or why it is not there and what installs it
};

/// All four ways on this machine, in the order in which Automatic tries them: nvrtc, nvcc, clang, shipped.
std::vector<CompilerInfo> listCompilers();

/// Reads kernels/<name>. Errors: "cannot-read".
Result<KernelSource> readKernel(std::string_view name);

struct CompileOptions {
    CompilerChoice choice = CompilerChoice::Automatic;
    /// Products and sums stay apart (-fmad=false, -ffp-contract=off): every add and mul says .rn, so that a GPU and the
    /// simulator give the same bits. fmaf() still fuses.
    bool exact = false;
    /// The file is a person's own: it may hold host code and includes. Automatic goes on to nvcc where NVRTC, which
    /// compiles device code alone, refuses it; `includeFolder`, if set, is searched for quoted includes.
    bool wholeFile = false;
    std::string includeFolder{};
    /// For a GPU: machine code for exactly that architecture as well, where the compiler can make it (NVRTC and nvcc,
    /// if they know the architecture). What its assembler refuses is an error of the source.
    bool machineCode = false;
    /// Asked while a compiler runs as a process of its own; true ends it: "cancelled". May be empty.
    std::function<bool()> stop{};
};

/// PTX for compute capability major.minor (the newest architecture the compiler knows that does not exceed it).
/// Automatic falls through compilers that are absent, never past one that reports an error in the source.
/// Errors: "compile-failed" (place file:line, the compiler's own text), "no-compiler", "shipped-mismatch" (the source
/// differs from the one whose PTX is shipped, or it is not exact).
Result<Program> compile(const KernelSource& source, int major, int minor, const CompileOptions& options);
inline Result<Program> compile(const KernelSource& source, int major, int minor, CompilerChoice choice)
{
    return compile(source, major, minor, CompileOptions{choice, false, false, {}, false});
}

} // namespace ridge::gpu
