// SPDX-License-Identifier: GPL-3.0-or-later
// The addresses that well-known loops touch, in their order. Loads and stores
// are those of the loop as written, with a value that the innermost loop does
// not change kept in a register (as every compiler does); instructions, stacks
// and indices touch nothing.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::memory {

enum class Loop {
    Stream,           ///< c[i] = a[i] + b[i] over n elements
    Strided,          ///< a[(i * stride) mod n], n loads
    Random,           ///< n loads of elements drawn from n
    TransposeRows,    ///< b[j][i] = a[i][j], a read along its rows
    TransposeColumns, ///< the same, a read along its columns
    TransposeTiled,   ///< the same in tiles of tile x tile
    MatmulIjk,
    MatmulIkj,
    MatmulJik,
    MatmulJki,
    MatmulKij,
    MatmulKji,
    MatmulTiled ///< ikj within tiles of tile x tile x tile
};

/// Names on the command line, in the order of Loop: "stream" … "matmul_tiled".
const std::vector<std::string>& loopNames();
std::optional<Loop> loopNamed(std::string_view name);
/// One line of code as a page shows it.
std::string_view loopCode(Loop loop);

struct LoopSpec {
    Loop loop = Loop::MatmulIjk;
    std::uint32_t n = 64;      ///< elements, or rows and columns of a square matrix
    std::uint32_t element = 8; ///< bytes: 4 or 8
    std::uint32_t stride = 1;  ///< elements; Strided only
    std::uint32_t tile = 32;   ///< rows and columns of a tile; a last tile may be smaller
    std::uint32_t pad = 0;     ///< elements behind each row of a matrix
    std::uint64_t seed = 0;    ///< Random only
};

/// Errors: "bad-loop" (n = 0, a tile of 0, more than 2^33 accesses).
Result<void> checkLoop(const LoopSpec& spec);

/// How many accesses there will be.
std::uint64_t accessCount(const LoopSpec& spec);

/// An access. Arrays begin at multiples of 4096 bytes, one behind the other, as
/// an allocator of pages places them.
struct Access {
    std::uint64_t address = 0;
    bool write = false;
};

/// Calls `take(const Access&)` for each access of a checked loop until it
/// returns false.
void forEachAccess(const LoopSpec& spec, const std::function<bool(const Access&)>& take);

/// Calls `take(std::span<const Access>)` for blocks of at most 4096 accesses:
/// for millions of them.
void forEachBlock(const LoopSpec& spec, const std::function<bool(std::span<const Access>)>& take);

/// Reads a trace: a line an access, "R 0x1f40", "W 8000" (hexadecimal with or
/// without 0x) or Dinero's "0 1f40" (load), "1 1f40" (store), "2 1f40"
/// (instruction, skipped); empty lines and those that begin with # are skipped.
/// Errors: "bad-trace" with line and fix; more than 64 million accesses; no
/// access at all.
Result<std::vector<Access>> parseTrace(std::string_view text, const std::string& place);

} // namespace ridge::memory
