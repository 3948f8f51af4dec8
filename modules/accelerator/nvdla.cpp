// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/nvdla.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ridge::accelerator {

Result<DotArray> dotArray(std::uint64_t macs)
{
    if (!std::has_single_bit(macs) || macs < 8 || macs > 65536)
        return Error{"bad-array", "an array of " + std::to_string(macs) + " multiply-adds cannot be", "parameter macs",
                     "give a power of two from 8 to 65536"};
    DotArray array;
    const auto bits = static_cast<std::uint32_t>(std::bit_width(macs)) - 1;
    array.atomicC = 1u << ((bits + 1) / 2);
    array.atomicK = 1u << (bits / 2);
    return array;
}

DotRun runDots(const DotArray& array, const std::vector<NetworkLayer>& layers, std::uint32_t batch)
{
    DotRun run;
    const double half = static_cast<double>(array.bufferBytes) / 2;
    for (const NetworkLayer& layer : layers) {
        const Conv& conv = layer.conv;
        const auto ceilDiv = [](std::uint64_t a, std::uint64_t b) { return static_cast<double>((a + b - 1) / b); };
        const double depth = ceilDiv(conv.channels, array.atomicC) * conv.kernelH * conv.kernelW;
        const double compute = depth * ceilDiv(conv.filters, array.atomicK) *
                               static_cast<double>(conv.outH() * conv.outW()) * layer.groups * batch;
        const double weights = static_cast<double>(layer.weights()) * array.word;
        const double inputs = static_cast<double>(layer.inputs()) * array.word;
        const double outputs = static_cast<double>(layer.outputs()) * array.word;
        // Either the weights come again for each buffer of inputs, or the inputs for each buffer of weights.
        const double weightsAgain = weights * std::max(1.0, std::ceil(inputs / half)) + inputs;
        const double inputsAgain = inputs * std::max(1.0, std::ceil(weights / half)) + weights;
        const double bytes = (std::min(weightsAgain, inputsAgain) + outputs) * batch;
        run.macs += layer.macs() * batch;
        run.compute += compute;
        run.dramBytes += bytes;
        run.cycles += array.dramBytesPerCycle > 0 ? std::max(compute, bytes / array.dramBytesPerCycle) : compute;
    }
    return run;
}

} // namespace ridge::accelerator
