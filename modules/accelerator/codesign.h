// SPDX-License-Identifier: GPL-3.0-or-later
// An array, its buffers and its memory chosen together: time from the closed form, area and power from a law of four
// published chips.
//
// Area (mm2, 16 nm) = 0.00111 a multiplier of 8 bits + 0.001802 a KiB + 0.2508; power (W, at 1 GHz, peak) = 0.000346,
// 0.0000288 and 0.0302 likewise: least relative squares on NVDLA's primer, 2048/512, 512/256, 128/256 and 32/128
// multipliers/KiB, which they meet within 9 % and 2 %. Multipliers of other formats are taken to cost what the energy
// of a product says (TPUv4i, ISCA 2021, 7 nm: int8 0.07 pJ, bf16 0.21, fp16 0.34, fp32 1.31).
#pragma once

#include "accelerator/systolic.h"

#include <span>
#include <vector>

namespace ridge::accelerator {

enum class Precision { Int8, Bf16, Fp16, Fp32 };
double relativeMultiplier(Precision precision); ///< area and power over int8's
std::uint32_t bytesOf(Precision precision);

struct CodesignPoint {
    Array array;
    std::uint32_t sramKb = 256; ///< in three buffers
    double bytesPerS = 50e9;    ///< of DRAM
};

struct CodesignCosts {
    double clock = 1e9;
    double dramJoulesPerByte = 1300e-12 / 8; ///< DDR, 1300 pJ for 64 bits (TPUv4i); HBM2 250 to 450
    Precision precision = Precision::Int8;
};

struct CodesignResult {
    double time = 0;   ///< s of all layers
    double area = 0;   ///< mm2
    double watts = 0;  ///< chip at peak and DRAM at full bandwidth
    double joules = 0; ///< chip's peak power x time, and the bytes of DRAM
    double utilization = 0, dramBytes = 0;
};

struct CodesignLayer {
    Gemm gemm;
    std::uint64_t times = 1;
};

/// Weight-stationary, runReal layer by layer. The point has been checked (checkArray, sramKb above 0, bytesPerS above
/// 0).
CodesignResult evaluateDesign(const CodesignPoint& point, const CodesignCosts& costs,
                              std::span<const CodesignLayer> layers);

/// 8 x 8 arrays of 4 to 512, 13 sizes of SRAM from 16 KiB, 13 bandwidths from 1 GB/s: 10,816 points.
std::vector<CodesignPoint> designGrid();

/// Places in `results` that no other beats in time, area and power, within the budgets (0: none), fastest first.
std::vector<std::size_t> designFront(std::span<const CodesignResult> results, double areaBudget, double wattBudget);

} // namespace ridge::accelerator
