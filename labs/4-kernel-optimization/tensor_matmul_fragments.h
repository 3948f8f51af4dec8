// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/gpu_experiment.h"

#include <array>

namespace ridge::labs {

/// Which lane of a warp holds which element of mma.m16n8k16, as the machine itself said.
struct FragmentOwners {
    std::array<std::array<std::uint16_t, 8>, 32> a{}; ///< row × 16 + k, two a register, the low half first
    std::array<std::array<std::uint16_t, 4>, 32> b{}; ///< column × 16 + k
    std::array<std::array<std::uint16_t, 4>, 32> c{}; ///< row × 8 + column, one a register
};

/// Runs the kernel that asks.
Result<FragmentOwners> askFragments(GpuContext& context);

/// Whether every element is with one lane, once.
bool complete(const FragmentOwners& owners);

/// A (16 x 16), C (16 x 8) beside it and B below, column by column, so that k runs along both; a lane's number in each
/// cell: all lanes, then one after the other, then all again. A trace of kind "grid".
std::string fragmentPicture(const FragmentOwners& owners);

} // namespace ridge::labs
