// SPDX-License-Identifier: GPL-3.0-or-later
// An array of dot products: NVDLA's convolution core. Each cycle it multiplies atomicC channels of one input place by
// the weights of atomicK filters (NVDLA hardware documentation, "convolution pipeline").
#pragma once

#include "accelerator/network.h"

namespace ridge::accelerator {

struct DotArray {
    std::uint32_t atomicC = 64, atomicK = 32; ///< multiply-adds a cycle: their product
    std::uint64_t bufferBytes = 512 << 10;    ///< convolution buffer, of inputs and weights
    double dramBytesPerCycle = 20;
    std::uint32_t word = 1; ///< bytes
};

/// The array of `macs` multiply-adds, a power of two from 8 to 65536: twice as deep in channels as wide in filters, or
/// as deep. Errors: "bad-array".
Result<DotArray> dotArray(std::uint64_t macs);

struct DotRun {
    std::uint64_t macs = 0;
    double cycles = 0; ///< per layer the longer of computing and DRAM
    double compute = 0;
    double dramBytes = 0; ///< weights, inputs and outputs; inputs or weights again for each buffer of the other
};

DotRun runDots(const DotArray& array, const std::vector<NetworkLayer>& layers, std::uint32_t batch);

} // namespace ridge::accelerator
