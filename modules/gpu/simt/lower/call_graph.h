// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/module.h"

namespace ridge::gpu::simt {

/// The functions of a module that a kernel cannot inline: those that can reach themselves, and where a call through a
/// pointer can be reached, those whose address is taken. In the order of the module.
std::vector<const Function*> functionsOutOfLine(const Module& module, const Function& kernel);

/// Whether its own instructions move the stack: alloca, stacksave, stackrestore.
bool movesStack(const Function& function);

} // namespace ridge::gpu::simt
