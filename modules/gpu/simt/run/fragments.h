// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/tensor_math.h"

namespace ridge::gpu::simt {

/// Where the pieces of a matrix lie in the registers of a warp: the layouts that the PTX ISA draws for mma.sync,
/// continued to the sizes of wmma, whose layouts it leaves open. Lane 4g + t holds in each register of A and B `pack`
/// neighbours along k; rows of A and columns of B go by g in steps of eight, then k in steps of 4 * pack. Registers
/// beyond a whole matrix repeat it, as the fragments of wmma for f16 have twice the registers they need.
struct Cell {
    unsigned outer = 0; ///< row of A and C, column of B
    unsigned inner = 0; ///< k of A and B, column of C
};

inline unsigned packOf(Element element)
{
    return bitsOf(element) >= 32 ? 1 : 32 / bitsOf(element);
}

/// Element `part` of register `index` of A (size = m) …
inline Cell placeInA(Element element, unsigned m, unsigned k, unsigned lane, unsigned index, unsigned part)
{
    const unsigned pack = packOf(element);
    const unsigned rows = m / 8;
    const unsigned chunks = k / (4 * pack);
    index %= rows * chunks;
    return {lane / 4 + 8 * (index % rows), index / rows * 4 * pack + lane % 4 * pack + part};
}

/// … of B (size = n) …
inline Cell placeInB(Element element, unsigned n, unsigned k, unsigned lane, unsigned index, unsigned part)
{
    const unsigned pack = packOf(element);
    const unsigned columns = n / 8;
    const unsigned chunks = k / (4 * pack);
    index %= columns * chunks;
    return {lane / 4 + 8 * (index / chunks), index % chunks * 4 * pack + lane % 4 * pack + part};
}

/// … and of C and D: two neighbours in a row, then rows in steps of eight, then columns in steps of eight. f16 packs
/// the neighbours into one register.
inline Cell placeInC(Element element, unsigned m, unsigned lane, unsigned index, unsigned part)
{
    const unsigned pair = element == Element::F16 ? index : index / 2;
    const unsigned second = element == Element::F16 ? part : index % 2;
    const unsigned rows = m / 8;
    return {lane / 4 + 8 * (pair % rows), pair / rows * 8 + lane % 4 * 2 + second};
}

/// Registers a lane needs for the whole matrix.
inline unsigned registersOf(Element element, unsigned outer, unsigned inner)
{
    const unsigned bits = outer * inner * bitsOf(element) / 32;
    return std::max(1u, bitsOf(element) == 64 ? bits / 64 : bits / 32);
}

} // namespace ridge::gpu::simt
