// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "gpu/device.h"

namespace ridge::labs {

inline constexpr std::uint32_t kTileColumns = 256; ///< elements of 4 bytes in a row of a tile: 1 KiB

/// A matrix of 4-byte elements that is packed into tiles, and the bytes that follow from it. The one owner of these.
struct PackShape {
    std::string kernel; ///< "registers", "cp_async", "bulk", "tensor"
    std::uint32_t stages = 1;
    std::uint64_t tileBytes = 1024;
    std::uint32_t blocksPerSm = 1;
    std::uint64_t columns = 4, rows = 1;

    std::uint64_t tileRows() const { return tileBytes / (4 * kTileColumns); }
    std::uint64_t tileWords() const { return tileBytes / 4; }
    std::uint64_t tilesAcross() const { return (columns + kTileColumns - 1) / kTileColumns; }
    std::uint64_t tiles() const { return (rows + tileRows() - 1) / tileRows() * tilesAcross(); }
    std::uint64_t inBytes() const { return rows * columns * 4; }
    std::uint64_t outBytes() const { return tiles() * tileBytes; }
    std::uint64_t movedBytes() const { return inBytes() + outBytes(); }
    std::uint64_t sharedBytes() const { return kernel == "registers" ? 0 : stages * tileBytes; }
    std::uint32_t blocks(std::uint32_t sms) const;
    /// Of loads that no instruction waits for yet, an SM, at most.
    std::uint64_t bytesInFlight() const;
    /// Warp instructions that ask for one whole tile.
    std::uint64_t loadInstructionsPerTile() const;
};

ExperimentInfo asyncCopyInfo();
const char* packKernelFile(const std::string& kernel);

/// Errors: "needs-newer-chip" with the compute capability that the kernel needs and a chip that has it.
Result<void> packKernelRuns(const std::string& kernel, const gpu::DeviceInfo& info);

/// Errors: "bad-parameters" (rows of the matrix that are no multiple of 16 bytes).
Result<PackShape> packShapeOf(const ParamSet& params);

} // namespace ridge::labs
