// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/kernel_builder.h"

namespace ridge::gpu::simt {

/// Lowers the statements of a function where builder.inside() says: what it declares, and every instruction.
void lowerBody(KernelBuilder& builder, const Function& function);

} // namespace ridge::gpu::simt
