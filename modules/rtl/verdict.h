// SPDX-License-Identifier: GPL-3.0-or-later
// A design's run held against the engine in C++: every result, every cycle, every register.
#pragma once

#include "rtl/bench.h"

namespace ridge::rtl {

struct Verdict {
    std::uint64_t results = 0, wrong = 0,
                  unknown = 0;  ///< wrong: other bits than the engine's, unknown and missing ones too
    std::uint64_t cycles = 0;   ///< of all tiles, without gaps and holds
    std::uint64_t expected = 0; ///< the same in closed form
    std::uint64_t registers = 0, registersWrong = 0; ///< compared in the waveform
    std::string firstWrong;                          ///< a sentence; empty: none
    std::string firstRegister;
    bool right() const { return wrong == 0; }
    bool inTime() const { return cycles == expected; }
};

/// Errors: those of the engine.
Result<Verdict> judge(const Job& job, const BenchRun& run);

} // namespace ridge::rtl
