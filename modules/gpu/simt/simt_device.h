// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"
#include "gpu/simt/timing/chip_timing.h"

namespace ridge::gpu::simt {

/// What a launch must fit into. The caller fills it in from the chip table; the defaults hold for every NVIDIA chip
/// since compute capability 7.0 (CUDA Programming Guide, table of technical specifications) except shared memory,
/// whose opt-in maximum differs by chip.
struct ChipLimits {
    std::uint32_t maxThreadsPerBlock = 1024;
    Dim3 maxBlock{1024, 1024, 64};
    Dim3 maxGrid{2147483647u, 65535, 65535};
    std::uint32_t sharedBytesPerBlock = 49152;       ///< static shared memory a block may declare
    std::uint32_t sharedBytesPerBlockOptIn = 101376; ///< static and dynamic together
    std::uint32_t sharedBytesPerSm = 102400;
    std::uint32_t warpsPerSm = 64;
    std::uint32_t blocksPerSm = 32;
    std::uint32_t registersPerSm = 65536;
    std::uint32_t registersPerThread = 255;
    int computeMajor = 0;             ///< clusters need 9; 0: not known, as far as this goes
    std::uint32_t smsPerCluster = 16; ///< SMs that one cluster may use, those of a GPC; a chip file's number goes first
};

/// A device that executes PTX functionally, warp by warp, and counts exactly. With the `timing` of a chip, launches
/// that ask for it (LaunchOptions::timing) are simulated in time as well, and so is time(); without, time() has no
/// value and such launches answer "no-timing". Same program, same launches, same bits, same counts, same cycles, same
/// trace, on every machine. Beyond the codes of gpu::Device, load() answers "bad-ptx" (line and column) and
/// "unsupported-ptx" (version, target). Errors: "bad-device" when the limits cannot run a single warp.
Result<std::unique_ptr<Device>> openSimtDevice(DeviceInfo info, ChipLimits limits, DeviceOptions options,
                                               std::optional<ChipTiming> timing = std::nullopt);

} // namespace ridge::gpu::simt
