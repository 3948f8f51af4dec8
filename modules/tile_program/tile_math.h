// SPDX-License-Identifier: GPL-3.0-or-later
// What the functions of block programs mean, bit by bit. The generated CUDA C has the same operations in the same order
// (tile_cuda.cpp), so that a processor and a GPU agree in every bit.
#pragma once

#include <cstdint>

namespace ridge::tile {

/// e^x within two units in the last place: x = n ln 2 + r, the series of e^r up to r^7 by fused steps, times 2^n.
float tileExp(float x);

/// The larger one; a NaN loses, -0 is below +0.
float tileLarger(float a, float b);
float tileSmaller(float a, float b);

/// Towards zero; what does not fit becomes the nearest int that does, NaN 0.
std::int32_t tileToInt(float x);

} // namespace ridge::tile
