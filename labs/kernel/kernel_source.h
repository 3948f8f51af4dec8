// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_request.h"
#include "gpu/device.h"

#include <map>

namespace ridge::labs {

struct KernelParameter {
    std::string name; ///< as PTX calls it; the compilers of CUDA C++ drop the names of the source
    std::string type; ///< ".u64"; arrays of bytes (structs, halves) ".b8[16]"
    std::uint64_t bytes = 0;
};

/// A kernel as PTX declares it.
struct KernelSignature {
    std::string name;  ///< in PTX; C++ names are mangled
    std::string plain; ///< readable: "scale<float>(float*, int)"; equal to `name` for extern "C"
    std::vector<KernelParameter> parameters;
};

/// PTX of the file for compute capability sm / 10 . sm % 10. Files below kernels/ keep their name there, so that their
/// shipped PTX is found. Errors: those of gpu::compile(), "bad-ptx" (empty file).
/// `stop` ends a compiler that runs as a process: "cancelled".
Result<gpu::Program> programOf(const KernelText& source, int sm, bool exact, const gpu::StopRequested& stop = {});

/// The same for a device: on a GPU with machine code where the compiler makes it.
Result<gpu::Program> programOf(const KernelText& source, const gpu::DeviceInfo& device, bool exact,
                               const gpu::StopRequested& stop = {});

/// Every kernel of a PTX text. Errors: "bad-ptx", "unsupported-ptx".
Result<std::vector<KernelSignature>> signaturesOf(const gpu::Program& program);

/// PTX lines of the instructions that each source line became, by kernel and source line (0: not known).
std::map<std::pair<std::string, std::uint32_t>, std::vector<std::uint32_t>>
instructionsPerLine(const gpu::Program& program);

/// The kernel called `wanted`: the name in PTX, or a plain name that fits one kernel alone; the only kernel where
/// `wanted` is empty. Errors: "kernel-not-found" with all there are.
Result<KernelSignature> chooseKernel(const std::vector<KernelSignature>& kernels, const std::string& wanted,
                                     const std::string& file);

/// The error of chooseKernel(), saying of a template in the source `text` that it needs an instance, and how one is
/// made.
Error withTemplateAdvice(Error error, const std::string& wanted, const std::string& text);

/// signaturesOf() and chooseKernel().
Result<KernelSignature> kernelOf(const gpu::Program& program, const std::string& wanted, const std::string& file);

/// The source with a last line that makes the instance of a template which the name asks for, "scale<32>": the lines
/// above it stay where they are. Nothing where the name is none of an instance, the source has no such template, or it
/// is PTX.
std::optional<KernelText> withInstance(const KernelText& source, const std::string& wanted);

/// "nvrtc 13.0", or for PTX what its head says made it: "ptx (Cuda compilation tools, release 13.0, V13.0.88)".
std::string compilerText(const gpu::Program& program);

/// "scale<float>(float*, int)" of "_Z5scaleIfEvPT_i"; the same text where it is no mangled name of a function.
std::string demangled(const std::string& name);

/// `text` with the kernel's readable name wherever the name of its entry stands.
std::string inPlainWords(std::string text, const KernelSignature& kernel);

} // namespace ridge::labs
