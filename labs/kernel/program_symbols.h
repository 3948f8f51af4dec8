// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_argument.h"
#include "gpu/device.h"
#include "labs/kernel/kernel_source.h"

namespace ridge::labs {

/// A `__constant__` or `__device__` variable and what it holds before the launch: NAME=SPEC of a request.
struct ProgramSymbol {
    std::string name;     ///< as it was given
    std::string variable; ///< as the PTX has it
    std::vector<std::byte> bytes;
};

/// Takes the NAME=SPEC out of the SPECs of a request and holds them against the program's variables. Errors:
/// "bad-argument" (no such variable, another size, a SPEC that has no value), "cannot-read" (a file).
Result<std::vector<ProgramSymbol>> takeSymbols(std::vector<std::string>& specs, const gpu::Program& program);

/// Fills them, as cudaMemcpyToSymbol does, after every load. Errors: "unsupported-target", those of copies.
Result<void> fillSymbols(gpu::Device& device, const gpu::LoadedProgram& program,
                         const std::vector<ProgramSymbol>& symbols);

/// One report ("unfilled-variable") a variable that the kernel reads, that has no first value, that nobody filled and
/// that nothing in the program writes: it is zero, and a kernel that reads zeros from it was hardly meant. A
/// `__device__` variable counts only where its address goes nowhere but into loads.
std::vector<gpu::Report> unfilledVariables(const gpu::Program& program, const KernelSignature& kernel,
                                           const std::vector<ProgramSymbol>& symbols);

} // namespace ridge::labs
