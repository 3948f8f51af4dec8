// SPDX-License-Identifier: GPL-3.0-or-later
#include "silicon/occupancy.h"

namespace ridge::silicon {

namespace {

std::uint32_t roundUp(std::uint32_t value, std::uint32_t granule)
{
    return (value + granule - 1) / granule * granule;
}

Error badLaunch(const std::string& what, std::uint32_t given, std::uint32_t max)
{
    return Error{"bad-launch", what + " is " + std::to_string(given), what,
                 "at most " + std::to_string(max) + " on this chip"};
}

Result<void> checkBlock(const ChipLimits& limits, std::uint32_t threads, std::uint32_t registers, std::uint32_t shared)
{
    if (threads == 0)
        return Error{"bad-launch", "a block has no threads", "threads per block",
                     "give 1 to " + std::to_string(limits.maxThreadsPerBlock)};
    if (threads > limits.maxThreadsPerBlock)
        return badLaunch("threads per block", threads, limits.maxThreadsPerBlock);
    if (registers > limits.maxRegistersPerThread)
        return badLaunch("registers per thread", registers, limits.maxRegistersPerThread);
    if (shared > limits.sharedBytesPerBlockOptin)
        return badLaunch("shared memory per block in bytes", shared, limits.sharedBytesPerBlockOptin);
    return {};
}

} // namespace

std::string_view toText(Limiter limiter)
{
    switch (limiter) {
    case Limiter::Warps:
        return "warps";
    case Limiter::Registers:
        return "registers";
    case Limiter::SharedMemory:
        return "shared memory";
    case Limiter::Blocks:
        return "blocks";
    case Limiter::Barriers:
        return "barriers";
    }
    return {};
}

Result<Occupancy> occupancy(const ChipLimits& limits, std::uint32_t threadsPerBlock, std::uint32_t registersPerThread,
                            std::uint32_t sharedBytesPerBlock, std::uint32_t barriers)
{
    if (const Result<void> legal = checkBlock(limits, threadsPerBlock, registersPerThread, sharedBytesPerBlock);
        !legal.ok())
        return legal.error();

    Occupancy out;
    const std::uint32_t warps = (threadsPerBlock + limits.warpSize - 1) / limits.warpSize;
    out.blocksAllowed[Limiter::Warps] = limits.maxWarpsPerSm / warps;
    out.blocksAllowed[Limiter::Blocks] = limits.maxBlocksPerSm;
    if (barriers > 0)
        out.blocksAllowed[Limiter::Barriers] = limits.barriersPerSm / barriers;

    if (registersPerThread > 0) {
        const std::uint32_t perWarp = roundUp(registersPerThread * limits.warpSize, limits.registerGranularityPerWarp);
        out.allocatedRegistersPerBlock = perWarp * warps;
        // The launch check counts as if every sub-partition held an equal number of the block's warps.
        const std::uint32_t checked = perWarp * roundUp(warps, limits.subPartitions);
        if (checked > limits.registersPerBlock)
            return badLaunch("registers per block", checked, limits.registersPerBlock);
        const std::uint32_t warpsPerPartition = limits.registersPerSm / limits.subPartitions / perWarp;
        out.blocksAllowed[Limiter::Registers] = warpsPerPartition * limits.subPartitions / warps;
    }

    const std::uint32_t shared = sharedBytesPerBlock + limits.sharedReservedPerBlockBytes;
    if (shared > 0) {
        out.allocatedSharedBytesPerBlock = roundUp(shared, limits.sharedGranularityBytes);
        out.blocksAllowed[Limiter::SharedMemory] = limits.sharedBytesPerSm / out.allocatedSharedBytesPerBlock;
    }

    out.blocksPerSm = limits.maxBlocksPerSm;
    for (const auto& [limiter, blocks] : out.blocksAllowed)
        out.blocksPerSm = std::min(out.blocksPerSm, blocks);
    for (const auto& [limiter, blocks] : out.blocksAllowed)
        if (blocks == out.blocksPerSm && (limiter != Limiter::Barriers || blocks < limits.maxBlocksPerSm))
            out.limiters.push_back(limiter);
    out.warpsPerSm = out.blocksPerSm * warps;
    out.fraction = static_cast<double>(out.warpsPerSm) / limits.maxWarpsPerSm;
    return out;
}

} // namespace ridge::silicon
