// SPDX-License-Identifier: GPL-3.0-or-later
// What a high-level synthesis tool makes of a product in loops: a toy scheduler with memory ports, multipliers and the
// loop's own sum, and what it costs.
//
//     for i < m, for j < n, sum = 0, for l < k: sum += A[i][l] * B[l][j];  C[i][j] = sum
//
// The unrolled body is scheduled modulo the initiation interval (II): a value is read from a bank's port, multiplied,
// added in a tree, and added to the sum of the iteration before.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <vector>

namespace ridge::accelerator {

enum class HlsLoop { K, J }; ///< that is unrolled, and along which arrays are cut
enum class HlsPartition { None, Cyclic, Block, Complete };

struct HlsDesign {
    std::uint32_t m = 16, n = 16, k = 16; ///< 1 to kMostSide
    HlsLoop loop = HlsLoop::K;
    std::uint32_t unroll = 1; ///< 1 to kMostUnroll
    HlsPartition partition = HlsPartition::None;
    std::uint32_t factor = 1; ///< banks of A and B along the unrolled loop; None: 1, Complete: all
    bool pipeline = true;
    std::uint32_t ports = 2;                                                        ///< of a bank; a block RAM has two
    std::uint32_t dspLimit = 0;                                                     ///< multipliers; 0: no limit
    std::uint32_t bits = 8;                                                         ///< of an operand
    std::uint32_t readCycles = 2, multiplyCycles = 3, addCycles = 1, sumCycles = 1; ///< latencies
    static constexpr std::uint32_t kMostSide = 4096, kMostUnroll = 256;
};

struct HlsOp {
    enum class Kind { ReadA, ReadB, Multiply, Add, Sum } kind = Kind::ReadA;
    std::uint32_t copy = 0;  ///< of the unrolled body
    std::uint32_t cycle = 0; ///< of the iteration, in which it begins
    std::uint32_t bank = 0;  ///< of a read
    std::uint32_t length = 1;
};

struct HlsReport {
    std::uint32_t ii = 1;
    std::uint32_t memoryIi = 1, dspIi = 1, sumIi = 1; ///< least that each alone allows
    std::uint32_t depth = 0;                          ///< cycles of one iteration
    std::uint64_t iterations = 0, latency = 0;        ///< cycles of the whole product
    std::uint32_t dsp = 0;                            ///< multipliers, shared where II allows
    std::uint32_t bram = 0; ///< of 18 Kbit, for A, B and C; banks of up to 1,024 bits are LUTs
    std::uint32_t lut = 0;
    std::vector<HlsOp> ops; ///< of one iteration
};

/// Errors: "bad-design" with what is out of range.
Result<HlsReport> scheduleHls(const HlsDesign& design);

/// Runs the schedule cycle by cycle: uses of each bank's ports and of the multipliers, and every product against plain
/// loops. Of designs up to 32 x 32 x 64. Errors: "bad-schedule" where a port is used twice or a sum differs.
Result<std::uint64_t> replayHls(const HlsDesign& design, const HlsReport& report);

} // namespace ridge::accelerator
