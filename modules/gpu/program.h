// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"

#include <string>
#include <vector>

namespace ridge::gpu {

/// Kernel source below kernels/.
struct KernelSource {
    std::string name; ///< "coalescing/01_strided_read.cu": path below kernels/
    std::string text;
    /// Exact mode: products and sums are fused only where the source says fmaf or fma, so that a host can compute the
    /// same bits (-fmad=false, -ffp-contract=off). Shipped PTX is compiled without it.
    bool exact = false;
};

/// PTX and how it came to be.
struct Program {
    std::string name; ///< KernelSource::name or the file given by the user
    std::string ptx;
    std::string arch;            ///< "sm_80"
    std::string compiler;        ///< "nvrtc", "nvcc", "clang" or "shipped"
    std::string compilerVersion; ///< "13.0", "14.0.6"; for shipped PTX that of the compiler that made it
    std::string sourceSha256;
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

/// PTX for compute capability major.minor (the newest architecture the compiler knows that does not exceed it).
/// Automatic falls through compilers that are absent, never past one that reports an error in the source.
/// Errors: "compile-failed" (place file:line, the compiler's own text), "no-compiler", "shipped-mismatch" (the source
/// differs from the one whose PTX is shipped).
Result<Program> compile(const KernelSource& source, int major, int minor, CompilerChoice choice);

} // namespace ridge::gpu
