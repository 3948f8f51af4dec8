// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"
#include "gpu/simt/machine/machine_kernel.h"

#include <string>
#include <vector>

namespace ridge::gpu::simt {

/// What `ridge kernel compile --show registers` says of a kernel.
struct ResourceUse {
    std::string kernel;
    std::uint32_t registers = 0; ///< a thread
    bool registersExact = false;
    std::uint32_t uniformRegisters = 0; ///< a warp
    std::uint32_t spillBytes = 0;       ///< a thread
    std::uint32_t sharedBytes = 0;      ///< a block, static
    std::uint32_t constantBytes = 0;    ///< bank 0 up to the end of the parameters
    std::uint32_t localBytes = 0;       ///< a thread, spills included
    std::uint32_t instructions = 0;     ///< the program holds, slow paths included
};
ResourceUse resourceUse(const KernelImage& image, const MachineKernel& kernel, int computeCapability);

/// What `ridge kernel compile --show lines` says: a PTX instruction with the machine instructions that came of it, in
/// order of blocks and PTX lines. Instructions that vanished (copies, parameters, folded sums) have none.
struct ListedLine {
    std::uint32_t ptxLine = 0;
    std::uint32_t sourceLine = 0; ///< 0: not known
    std::uint32_t block = 0;
    std::string ptx;                  ///< opcode with modifiers
    std::vector<std::string> machine; ///< "IMAD.WIDE R2, R0, R3"
};
std::vector<ListedLine> listLines(const KernelImage& image, const MachineKernel& kernel);

/// One machine instruction as text: mnemonic, destination and source registers. Constants, immediates and predicates
/// are not kept and so not shown.
std::string toText(const MachineKernel& kernel, const MachineOp& op);

/// The listing as a table of text, a line each, aligned.
std::string listingText(const KernelImage& image, const MachineKernel& kernel);

} // namespace ridge::gpu::simt
