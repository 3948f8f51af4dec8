// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/families.h"

namespace ridge::gpu::simt {

void lowerLaunchControl(KernelBuilder& builder, const Instruction& instruction); ///< clusterlaunchcontrol
void lowerBulkFill(KernelBuilder& builder, const Instruction& instruction);      ///< st.bulk
void refuseMultimem(KernelBuilder& builder, const Instruction& instruction);

} // namespace ridge::gpu::simt
