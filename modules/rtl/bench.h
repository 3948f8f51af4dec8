// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a design under labs/rtl/bench.sv in Icarus Verilog. The design is text from anywhere: it is compiled and
// simulated in processes with limits, and may call only system tasks that neither read nor write files.
#pragma once

#include "accelerator/systolic.h"
#include "rtl/design.h"
#include "rtl/tools.h"
#include "rtl/waveform.h"

#include <optional>

namespace ridge::rtl {

/// What the bench feeds: a tile of weights, then rows of activations.
struct Tile {
    std::vector<std::int8_t> weights;     ///< rows x cols
    std::vector<std::int8_t> activations; ///< stream x rows
    bool gaps = false;                    ///< activations come with gaps
    bool holds = false;                   ///< the reader of the results holds back at times
};

struct Job {
    static constexpr std::uint32_t kLeastSide = 2, kMostSide = 32;
    static constexpr std::uint64_t kMostWork = 1u << 25; ///< PEs x cycles: 40 s at 0.85 million a second
    static constexpr std::uint64_t kMostResults = 1u << 20;

    Design design;
    accelerator::Array array;
    std::uint32_t stream = 1; ///< rows of activations in each tile
    std::vector<Tile> tiles;
    std::uint64_t waveCycles = 0; ///< that go to the waveform
    Limits limits;

    /// Errors: "bad-array", "bad-layer", "too-large".
    static Result<void> check(const accelerator::Array& array, std::uint64_t tiles, std::uint64_t stream);
    /// Cycles of all tiles in closed form, one behind the other, without gaps and holds.
    std::uint64_t cycles() const;
};

struct TileRun {
    std::vector<WaveValue> results;       ///< stream x cols, fewer where the design stuck
    std::uint64_t started = 0, ended = 0; ///< cycles since reset
    std::uint64_t gaps = 0, holds = 0;    ///< cycles in which the bench made it wait
    /// From the edge that takes the first weights to the last result, without those waits.
    std::uint64_t cycles() const { return ended > started + gaps + holds ? ended - started - gaps - holds : 0; }
};

/// Where a design stood when it was given up: rows that it took and gave, and its three answers.
struct Stuck {
    std::uint64_t weights = 0, activations = 0, results = 0;
    std::string ready; ///< w_ready, a_ready, out_valid as Verilog writes them, "0 x 0"
    std::string sentence(const Job& job) const;
};

struct BenchRun {
    std::vector<TileRun> tiles;     ///< all that were begun
    std::uint64_t wrong = 0;        ///< results that the testbench itself found wrong
    std::vector<std::string> words; ///< what testbench and design said, the first hundred lines
    std::optional<Stuck> stuck;
    Wave wave;
    std::string tool; ///< "Icarus Verilog 11.0 (stable)", as the compiled design says
};

/// Errors: "no-iverilog"; those of Job::check; "rtl-compile" with the compiler's words; "rtl-forbidden" (a system
/// task that is not for designs); "rtl-crash", "rtl-time", "rtl-output"; "rtl-ended" ($finish in the design);
/// "cancelled", "cannot-write".
Result<BenchRun> runBench(const Job& job);

} // namespace ridge::rtl
