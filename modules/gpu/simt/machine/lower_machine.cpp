// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/lower_machine.h"

#include "gpu/simt/machine/draft.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint32_t kRegistersOfSm = 65536;
constexpr std::uint32_t kMostRegisters = 255; ///< of a thread

/// What the launch bounds leave a thread.
std::uint32_t registerLimit(const KernelImage& image)
{
    const auto& bounds = image.requiredThreads[0] != 0 ? image.requiredThreads : image.maximumThreads;
    std::uint32_t threads = 1;
    for (const std::uint32_t extent : bounds)
        threads *= std::max(extent, 1u);
    if (bounds[0] == 0)
        return kMostRegisters;
    return std::clamp(kRegistersOfSm / std::max((threads + 31) / 32 * 32, 32u) / 8 * 8, 16u, kMostRegisters);
}

} // namespace

ScheduleLatencies defaultScheduleLatencies()
{
    ScheduleLatencies latencies;
    latencies.cycles.fill(0);
    const auto set = [&](LatencyClass latency, std::uint8_t cycles) {
        latencies.cycles[static_cast<std::size_t>(latency)] = cycles;
    };
    set(LatencyClass::Alu, 4);
    set(LatencyClass::Fma, 4);
    set(LatencyClass::Imad, 4);
    set(LatencyClass::Half, 5);
    set(LatencyClass::Uniform, 6);
    set(LatencyClass::Branch, 2);
    set(LatencyClass::Vote, 6);
    return latencies;
}

Result<MachineKernel> lowerToMachine(const KernelImage& image, int computeCapability,
                                     const ScheduleLatencies& latencies)
{
    if (computeCapability < 70)
        return Error{"unsupported-capability",
                     "machine instructions are known from compute capability 7.0 on, not for " +
                         std::to_string(computeCapability / 10) + "." + std::to_string(computeCapability % 10),
                     image.name, "Choose a Volta GPU or a later one."};
    Code code = readCode(image, computeCapability);
    foldOperands(code);
    removeDead(code);
    fuse(code);
    coalesceCopies(code);
    mergeLoads(code);
    scaleAddresses(code);
    markVarying(code);
    DraftKernel drafts = expand(code, planFlow(code));
    removeUnread(drafts);
    schedule(drafts, latencies, computeCapability);
    const Allocation allocation = allocate(drafts, registerLimit(image));
    MachineKernel machine;
    assignControl(drafts, allocation, latencies, machine);
    machine.mnemonics = std::move(drafts.mnemonics);
    machine.registers = allocation.registers;
    machine.uniformRegisters = allocation.uniformRegisters;
    machine.maxLive = drafts.maxLive;
    machine.spillBytes = allocation.spillBytes;
    machine.staticInstructions =
        static_cast<std::uint32_t>(machine.ops.size()) + drafts.coldInstructions - drafts.sharedInstructions;
    return machine;
}

} // namespace ridge::gpu::simt
