// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/symbol_table.h"

namespace ridge::gpu::simt {

/// The kernels of a module: those that can run, and for each of the others why not.
struct LoweredModule {
    std::vector<KernelImage> kernels;
    std::map<std::string, Error> refused; ///< "unsupported-instruction", by name; all instructions at once
};

/// Lowers every .entry of a module for a chip of 10 * major + minor; 0: whatever the simulator has, no chip asked.
/// Errors: "bad-ptx".
Result<LoweredModule> lowerModule(const Module& module, const VariableAddresses& addresses, int computeCapability = 0);

} // namespace ridge::gpu::simt
