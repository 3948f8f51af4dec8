// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"

#include <span>

namespace ridge::labs {

/// A block program that comes with the lab, and the kernel by hand that does the same.
struct ShippedTile {
    const char* name;       ///< value of the parameter "program"; its text is assets/block-programs/<name>.tile
    const char* phrase;     ///< for help texts
    const char* hand = "";  ///< below kernels/; empty: none
    bool timesHand = false; ///< the kernel runs at every point, and is timed beside the program
};

std::span<const ShippedTile> shippedTiles();
/// Null for a program of the learner's own.
const ShippedTile* findShippedTile(const std::string& name);
ExperimentInfo blockProgramInfo();

inline constexpr const char* kTileCopy = "norm/01_copy.cu"; ///< the copy that programs are held against

} // namespace ridge::labs
