// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/lower_machine.h"

#include "gpu/simt/machine/draft.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint32_t kRegistersOfSm = 65536;
constexpr std::uint32_t kMostRegisters = 255; ///< of a thread
constexpr std::uint32_t kFewestRegisters = 16;

/// What .maxnreg or the launch bounds leave a thread; registers are handed out by eights.
std::uint32_t registerLimit(const KernelImage& image)
{
    if (image.maximumRegisters != 0)
        return std::clamp(image.maximumRegisters, kFewestRegisters, kMostRegisters);
    const auto& bounds = image.requiredThreads[0] != 0 ? image.requiredThreads : image.maximumThreads;
    if (bounds[0] == 0)
        return kMostRegisters;
    std::uint32_t threads = std::max(image.minimumBlocks, 1u);
    for (const std::uint32_t extent : bounds)
        threads *= std::max(extent, 1u);
    return std::clamp(kRegistersOfSm / std::max((threads + 31) / 32 * 32, 32u) / 8 * 8, kFewestRegisters,
                      kMostRegisters);
}

/// Most 32-bit values live at once where each instruction stays in its place.
std::size_t pressureInOrder(Code code)
{
    scaleAddresses(code);
    markVarying(code);
    markUniform(code);
    DraftKernel drafts = expand(code, planFlow(code));
    removeUnread(drafts);
    return pressureOf(drafts, livenessOf(drafts));
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
    placeFragments(code);
    freeGuards(code);
    foldOperands(code);
    removeDead(code);
    shareValues(code);
    shareAddresses(code);
    contract(code);
    fuse(code);
    pairProducts(code);
    guardSelects(code);
    coalesceCopies(code);
    // How many values an order of the instructions has to hold shows before loads of later turns are brought forward.
    std::optional<std::size_t> pressure;
    if (auto apart = mergeLoads(code))
        pressure = pressureInOrder(std::move(*apart));
    scaleAddresses(code);
    markVarying(code);
    markUniform(code);
    DraftKernel drafts = expand(code, planFlow(code));
    removeUnread(drafts);
    const std::uint32_t limit = registerLimit(image);
    const auto scheduled = schedule(drafts, latencies, computeCapability, limit, pressure.value_or(SIZE_MAX));
    const RegisterAllocation allocation = scheduled ? *scheduled : allocateWithin(drafts, limit);
    MachineKernel machine;
    assignControl(drafts, allocation, latencies, computeCapability, machine);
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
