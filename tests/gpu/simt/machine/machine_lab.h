// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/kernel_builder.h"
#include "gpu/simt/machine/lower_machine.h"
#include "gpu/simt/ptx/module.h"

namespace ridge::gpu::simt {

/// The machine instructions of the first kernel in the PTX; none where it cannot be read or lowered.
inline MachineKernel machineOfPtx(const std::string& ptx, int capability)
{
    const auto module = parsePtx(ptx);
    if (!module)
        return {};
    const auto images = lowerModule(*module, {});
    if (!images || images->kernels.empty())
        return {};
    auto made = lowerToMachine(images->kernels.front(), capability, defaultScheduleLatencies());
    return made ? std::move(*made) : MachineKernel{};
}

inline int count(const MachineKernel& kernel, std::string_view mnemonic)
{
    int found = 0;
    for (const MachineOp& op : kernel.ops)
        found += kernel.mnemonics[op.mnemonic] == mnemonic ? 1 : 0;
    return found;
}

} // namespace ridge::gpu::simt
