// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/target.h"

#include "base/target_choice.h"
#include "gpu/targets/target_list.h"

namespace ridge::labs {

Result<std::unique_ptr<gpu::Device>> openTarget(const std::string& target, const RunLimits& limits,
                                                const gpu::StopRequested& stop, Regime regime, bool countOnly,
                                                const GoOn& goOn)
{
    if (const TargetKind* kind = kindOf(target); kind != nullptr && !kind->hasDevice)
        return Error{"unsupported-target", "a " + std::string(kind->title) + " executes no CUDA kernels",
                     "target " + target, "choose a GPU or a simulated one: ridge targets lists them"};
    gpu::DeviceOptions options;
    options.stop = stop;
    options.goOn = goOn;
    options.regime = regime;
    options.countOnly = countOnly;
    if (limits.seconds > 0)
        options.launchSeconds = limits.seconds;
    if (limits.memoryMiB > 0)
        options.memoryBytes = static_cast<std::uint64_t>(limits.memoryMiB) << 20;
    return gpu::openDevice(target, options);
}

} // namespace ridge::labs
