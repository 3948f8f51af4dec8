// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/lower_module.h"
#include "gpu/simt/machine/lower_machine.h"
#include "gpu/simt/ptx/module.h"

namespace ridge::gpu::simt {

/// The machine instructions of the kernel of this name in the PTX, or of the first; none where it cannot be read or
/// lowered.
inline MachineKernel machineOfPtx(const std::string& ptx, int capability, std::string_view entry = {})
{
    const auto module = parsePtx(ptx);
    if (!module)
        return {};
    const auto images = lowerModule(*module, {});
    if (!images)
        return {};
    for (const KernelImage& image : images->kernels) {
        if (!entry.empty() && image.name != entry)
            continue;
        auto made = lowerToMachine(image, capability, defaultScheduleLatencies());
        return made ? std::move(*made) : MachineKernel{};
    }
    return {};
}

/// Of a kernel `.param .u64 p, .param .u64 q, .param .u32 n, .param .f32 x` with this body; %rd1 is p, %r1 tid.x.
inline MachineKernel machineOfBody(const std::string& body, int capability)
{
    return machineOfPtx(".version 8.0\n.target sm_70\n.address_size 64\n"
                        ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n, .param .f32 x)\n{\n"
                        ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<40>; .reg .f64 %fd<32>;\n"
                        "ld.param.u64 %rd0, [p]; cvta.to.global.u64 %rd1, %rd0; mov.u32 %r1, %tid.x;\n" +
                            body + "\nret;\n}\n",
                        capability);
}

inline int count(const MachineKernel& kernel, std::string_view mnemonic)
{
    int found = 0;
    for (const MachineOp& op : kernel.ops)
        found += kernel.mnemonics[op.mnemonic] == mnemonic ? 1 : 0;
    return found;
}

} // namespace ridge::gpu::simt
