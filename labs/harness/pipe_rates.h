// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

#include <optional>
#include <string>

namespace ridge::labs {

/// Operations whose rate is a fact of a chip. Those of the tensor cores name the type of the factors.
enum class Operation {
    FmaFp32,
    FmaFp64,
    FmaHalf2,
    Imad,
    Mufu,
    Shuffle,
    SharedLoad,
    Convert,
    MmaFp16,
    MmaBf16,
    MmaTf32,
    MmaInt8,
};

/// Where the rates come from, in one sentence.
std::string pipeRateSource();

/// Warp instructions that one SM can take in a clock, at most: the lanes of the pipe over 32, and never more than one
/// for each of the four schedulers. For products `workPerInstruction` is their operations (2 × m × n × k). No value for
/// a chip whose rate is not known.
std::optional<double> instructionsPerClock(const gpu::DeviceInfo& info, Operation operation,
                                           double workPerInstruction = 0);

/// Peak of the whole GPU at a clock, in operations a second: a fused multiply-add counts as two, of packed halves as
/// four.
std::optional<double> peakPerSecond(const gpu::DeviceInfo& info, Operation operation, double clockHz);

} // namespace ridge::labs
