// SPDX-License-Identifier: GPL-3.0-or-later
// What interrupted the training of Llama 3 405B, as published.
#pragma once

#include <span>
#include <string_view>

namespace ridge::cluster {

struct Interruption {
    std::string_view id, title;
    int count = 0;
    bool ofGpu = false;      ///< the GPU itself or its memory
    double printedShare = 0; ///< as the paper prints it, where that is known here; 0: not copied
};

/// Unexpected interruptions of 54 days on 16,384 GPUs: arXiv 2407.21783, table 5. Counts are the paper's and sum to
/// kUnexpected. Not every share that it prints follows from them: of 419, 148 are 35.3 % and not 30.1 %.
std::span<const Interruption> llama3Interruptions();
inline constexpr int kUnexpected = 419; ///< and 47 planned ones: 466 in all
inline constexpr int kPlanned = 47;
inline constexpr double kLlama3Days = 54, kLlama3Gpus = 16384;
inline constexpr double kPrintedGpuShare = 0.587; ///< "58.7 % of all unexpected interruptions" are put down to GPUs

} // namespace ridge::cluster
