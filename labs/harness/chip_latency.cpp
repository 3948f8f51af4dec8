// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/chip_latency.h"

#include "base/paths.h"
#include "gpu/simt/timing/chip_file.h"

#include <filesystem>

namespace ridge::labs {

std::optional<ChipLatency> chipLatency(const gpu::DeviceInfo& info)
{
    const auto data = dataFolder();
    if (!data || info.chip.empty())
        return std::nullopt;
    const auto folder = *data / "assets" / "chips" / "timing";
    if (!std::filesystem::exists(folder / (info.chip + ".json")))
        return std::nullopt;
    const auto chip = gpu::simt::readChipTiming(folder, info.chip);
    if (!chip)
        return std::nullopt;
    return ChipLatency{chip->dramCycles, chip->latency[static_cast<std::size_t>(gpu::simt::LatencyClass::Fma)],
                       chip->l2BytesPerCycle, chip->clockMhz * 1e6};
}

} // namespace ridge::labs
