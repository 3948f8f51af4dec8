// SPDX-License-Identifier: GPL-3.0-or-later
// Long runs of a design: Verilator makes C++ of it, a compiler a program, and labs/rtl/drive.cpp feeds it random tiles
// and compares each result with plain loops. The program is a process with limits, as all that a design brings along.
#pragma once

#include "accelerator/systolic.h"
#include "rtl/design.h"
#include "rtl/tools.h"

namespace ridge::rtl {

struct LongRun {
    std::uint64_t cycles = 0, tiles = 0;  ///< without the reset
    std::uint64_t results = 0, wrong = 0; ///< rows of results
    double seconds = 0;                   ///< of the simulation, the comparison in it
    double buildSeconds = 0;              ///< Verilator and the compiler
    bool stuck = false;                   ///< results did not come; the counts are those up to there
    std::string tool;                     ///< "Verilator 5.006 2023-01-22 rev (Debian 5.006-3)"
};

/// `cycles` at least, in tiles of `stream` rows. Errors: "no-verilator"; "bad-array", "bad-layer", "too-large";
/// "rtl-forbidden" (system tasks, macros and imports are not for designs here: Verilator would make them C++);
/// "rtl-compile", "rtl-time", "rtl-output", "rtl-crash", "cancelled".
Result<LongRun> runLong(const Design& design, const accelerator::Array& array, std::uint64_t cycles,
                        std::uint64_t stream, const Limits& limits);

/// A word of the design that runLong refuses; "" where there is none. Comments and texts are passed over.
std::string forbiddenWord(const std::string& source);

} // namespace ridge::rtl
