// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/families.h"

namespace ridge::gpu::simt {

/// tensormap.replace, tensormap.cp_fenceproxy (PTX ISA, "Tensormap").
void lowerTensorMap(KernelBuilder& builder, const Instruction& instruction);

} // namespace ridge::gpu::simt
