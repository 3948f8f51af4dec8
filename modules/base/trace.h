// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ridge {

inline constexpr int kWarpSize = 32;

enum class MemorySpace : std::uint8_t { Global, Shared };
enum class MemoryOp : std::uint8_t { Load, Store, Atomic };

/// One warp-level memory instruction: what the load/store unit sees. Addresses are byte addresses in the space
/// (device address for Global, offset in the block's window for Shared); only those of active lanes mean anything.
struct MemoryRequest {
    MemorySpace space = MemorySpace::Global;
    MemoryOp op = MemoryOp::Load;
    std::uint8_t accessBytes = 4; ///< bytes a lane: 1, 2, 4, 8 or 16
    std::uint32_t activeMask = 0;
    std::uint32_t block = 0; ///< linear block index
    std::uint32_t warp = 0;  ///< warp index in the block
    std::uint32_t ptxLine = 0;
    std::uint32_t sourceLine = 0; ///< 0 where the PTX carries no line table
    std::array<std::uint64_t, kWarpSize> addresses{};

    bool operator==(const MemoryRequest&) const = default;
};

/// A named device allocation, so that a view can show "in + 128 B" in place of a raw address.
struct TraceBuffer {
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    bool operator==(const TraceBuffer&) const = default;
};

/// The first requests of one launch, in issue order. What a scene draws.
struct MemoryTrace {
    std::string kernel;
    std::uint32_t sectorBytes = 32;
    std::uint32_t lineBytes = 128;
    std::uint32_t banks = 32;
    std::uint32_t bankBytes = 4;
    std::vector<TraceBuffer> buffers;
    std::vector<MemoryRequest> requests;
    bool operator==(const MemoryTrace&) const = default;
};

/// Little-endian, versioned, with a checksum over the payload (layout in docs/protocol.md).
std::string encodeTrace(const MemoryTrace& trace);

/// Errors: "bad-trace" (not a trace, cut short, damaged, nonsense sizes), "newer-trace" (made by a later version).
Result<MemoryTrace> decodeTrace(std::string_view bytes);

} // namespace ridge
