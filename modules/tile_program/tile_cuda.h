// SPDX-License-Identifier: GPL-3.0-or-later
// A block program as CUDA C. An instance is one thread block; element e of a block is thread e mod T's, so that
// neighbours of a warp have neighbours in memory. Blocks of one axis are summed up in registers, then by shared memory
// between warps, then by shuffles, in the halves that the interpreter takes: the bits are the same for any number of
// warps.
#pragma once

#include "tile_program/tile_check.h"

namespace ridge::tile {

struct TileKernel {
    std::string name{}; ///< of the kernel: "tile_softmax"
    std::string text{}; ///< CUDA C; its parameters are those of the program without constants, in order
    std::uint32_t threads = 0;
    std::uint64_t sharedBytes = 0;
    std::int64_t mostPerThread = 0; ///< elements of the largest block that a thread has
};

inline constexpr std::uint64_t kTileSharedBytes = 48 * 1024; ///< what every chip gives a block without asking
inline constexpr std::int64_t kMostPerThread = 256;          ///< elements of one block in one thread

/// `warps` is a power of two up to 32. Errors: "bad-warps"; "too-much-shared" and "too-many-elements" with the
/// statement that needs them.
Result<TileKernel> generateCuda(const CheckedProgram& program, int warps);

} // namespace ridge::tile
