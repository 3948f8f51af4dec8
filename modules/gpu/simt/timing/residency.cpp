// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/residency.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint32_t kWarp = 32;

std::uint32_t roundUp(std::uint32_t value, std::uint32_t granule)
{
    return (value + granule - 1) / granule * granule;
}

} // namespace

GpcRange gpcRange(const ChipTiming& chip, std::uint32_t gpc)
{
    const auto sms = static_cast<std::uint32_t>(chip.sms);
    const std::uint32_t gpcs = std::min(static_cast<std::uint32_t>(chip.gpcs), sms);
    const std::uint32_t pairs = (sms + 1) / 2;
    const auto start = [&](std::uint32_t at) {
        return std::min(sms, 2 * (at * (pairs / gpcs) + std::min(at, pairs % gpcs)));
    };
    return {start(gpc), start(gpc + 1)};
}

std::uint32_t largestGpc(const ChipTiming& chip)
{
    const GpcRange first = gpcRange(chip, 0);
    return first.end - first.first;
}

OccupancyTiming residency(const ChipTiming& chip, const BlockNeeds& needs)
{
    OccupancyTiming out;
    out.warpsPerBlock = (needs.threads + kWarp - 1) / kWarp;
    out.registersPerThread = needs.registersPerThread;
    const auto subCores = static_cast<std::uint32_t>(chip.subCores);
    const auto consider = [&](std::uint32_t blocks, const char* limiter) {
        if (out.limiter.empty() || blocks < out.blocksPerSm) {
            out.blocksPerSm = blocks;
            out.limiter = limiter;
        }
    };
    consider(static_cast<std::uint32_t>(chip.maxWarps) / out.warpsPerBlock, "warps");
    consider(static_cast<std::uint32_t>(chip.maxBlocks), "blocks");
    if (needs.registersPerThread > 0) {
        const std::uint32_t perWarp =
            roundUp(needs.registersPerThread * kWarp, static_cast<std::uint32_t>(chip.registerGranularity));
        const std::uint32_t warps = static_cast<std::uint32_t>(chip.registersPerSm) / subCores / perWarp * subCores;
        consider(warps / out.warpsPerBlock, "registers");
    }
    const std::uint32_t shared = needs.sharedBytes + static_cast<std::uint32_t>(chip.sharedReserved);
    out.sharedBytesPerBlock = roundUp(shared, static_cast<std::uint32_t>(chip.sharedGranularity));
    if (out.sharedBytesPerBlock > 0)
        consider(static_cast<std::uint32_t>(chip.sharedKbPerSm * 1024) / out.sharedBytesPerBlock, "shared memory");
    const double needed = static_cast<double>(out.sharedBytesPerBlock) * out.blocksPerSm / 1024;
    double carveout = chip.carveoutsKb.back();
    for (auto size = chip.carveoutsKb.rbegin(); size != chip.carveoutsKb.rend(); ++size)
        carveout = *size >= needed ? *size : carveout;
    out.sharedCarveoutBytes = static_cast<std::uint32_t>(carveout * 1024);
    out.l1Bytes = static_cast<std::uint32_t>(chip.unifiedKb * 1024) - out.sharedCarveoutBytes;
    out.theoretical = static_cast<double>(out.blocksPerSm) * out.warpsPerBlock / chip.maxWarps;
    return out;
}

} // namespace ridge::gpu::simt
