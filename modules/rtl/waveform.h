// SPDX-License-Identifier: GPL-3.0-or-later
// What the array's registers hold after every cycle, from the waveform (VCD) that a simulator wrote.
#pragma once

#include "accelerator/systolic.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ridge::rtl {

/// A register of 8 or 32 bits, as Verilog has it: any bit may be unknown.
struct WaveValue {
    std::int32_t value = 0;
    bool known = false;
};

/// The array after a cycle, PEs by row, then column.
struct WaveMoment {
    std::vector<WaveValue> weight, activation, sum;
    std::vector<std::uint8_t> onItsWay; ///< bit i of the design's `valid`: a row of activations that is i steps old
};

struct Wave {
    std::vector<WaveMoment> cycles; ///< [i]: after cycle i since reset
    std::size_t signals = 0;        ///< of the 3 R C registers and `valid`, those that the waveform has
    bool whole(const accelerator::Array& array) const { return signals == 3 * array.elements() + 1; }
};

/// `text`: of bench.dut.row[r].col[c].pe.{w,a,sum}, bench.dut.valid and bench.now, which counts cycles. What is
/// damaged or cut short gives the cycles before.
Wave readWave(std::string_view text, const accelerator::Array& array);

} // namespace ridge::rtl
