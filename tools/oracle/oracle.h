// SPDX-License-Identifier: GPL-3.0-or-later
// Every operation of the lanes against a definition of its own, on special and random operands. tests/gpu/simt runs a
// sample of it, build/release/bin/oracle all of it.
#pragma once

#include "gpu/simt/lanes/lanes.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ridge::gpu::simt::oracle {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// One form of an instruction. Operands are a, b, c and, where there is a fourth, e of the micro-op.
struct Case {
    std::string group; ///< what it counts as in the tables
    std::string name;
    LaneKey key;
    OpFunction alone = nullptr; ///< where the form exists in one build only and key does not find it
    u32 flags = 0;
    std::int64_t imm = 0;                ///< of the micro-op
    std::array<unsigned, 4> bytes{};     ///< of each source's register; 0: not there
    std::array<unsigned, 4> used{};      ///< bits of each source that count, where they are fewer
    unsigned to = 4;                     ///< bytes of the result's register; 0: a predicate
    bool rounds = false;                 ///< the result is rounded: errors may hide in few operands of many
    ScalarType drawn = ScalarType::None; ///< floats are drawn by this format, integers where it is None
    std::function<u64(u64 a, u64 b, u64 c, u64 e)> expected;
};

/// Adds, products, quotients, roots, extremes and comparisons of f16, bf16, f32 and f64.
std::vector<Case> floatCases();
std::vector<Case> convertCases();
std::vector<Case> integerCases();
std::vector<Case> videoCases();

/// All of them.
std::vector<Case> allCases();

struct Outcome {
    u64 operands = 0; ///< tuples; each went through every build that this processor runs
    u64 mismatches = 0;
    std::string first; ///< the first mismatch, in hexadecimal
    bool exhaustive = false;
};

/// All combinations of special operands and `samples` random ones, or every value where there is one operand of 16
/// bits.
Outcome check(const Case& one, u64 samples, u64 seed);

} // namespace ridge::gpu::simt::oracle
