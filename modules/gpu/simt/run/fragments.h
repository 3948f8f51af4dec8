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

/// Elements of C and D in a register.
inline unsigned packOfC(Element element)
{
    return element == Element::F16 ? 2 : 1;
}

/// Registers a lane needs for the whole matrix.
inline unsigned registersOf(Element element, unsigned outer, unsigned inner)
{
    const unsigned bits = outer * inner * bitsOf(element) / 32;
    return std::max(1u, bitsOf(element) == 64 ? bits / 64 : bits / 32);
}

/// What wmma.load and wmma.store move: a matrix in memory, numbered as placeIn… numbers it.
struct FragmentShape {
    Element element = Element::F16;
    unsigned outer = 0, inner = 0;
    unsigned pack = 1;      ///< elements of a register
    bool alongInner = true; ///< neighbours along `inner` are neighbours in memory
    unsigned registers = 1; ///< that hold something of their own; those beyond repeat it
};

inline FragmentShape fragmentShape(const MatrixDetail& t)
{
    const bool isC = t.role == MatrixDetail::Role::C;
    const bool isB = t.role == MatrixDetail::Role::B;
    FragmentShape s;
    s.element = isC ? t.c : isB ? t.b : t.a;
    s.outer = isB ? t.n : t.m;
    s.inner = isC ? t.n : t.k;
    s.pack = isC ? packOfC(s.element) : packOf(s.element);
    // A matrix as text shows it has rows; B's columns are its outer places, so that .col is what runs along k.
    s.alongInner = t.transposed == isB;
    s.registers = registersOf(s.element, s.outer, s.inner);
    return s;
}

/// How a fragment goes between memory and registers. Source: SASS that ptxas 13.0 makes of every wmma.load and
/// wmma.store of f16, bf16, tf32, s8, f32, s32 and f64 for 7.5 to 12.0.
enum class FragmentMove : std::uint8_t {
    Words,     ///< an access a register
    Pairs,     ///< one for two registers that are neighbours in memory
    Elements,  ///< one for each element: bytes across their register
    Turned,    ///< a word a register across the matrix, turned among the lanes (MOVM)
    Rows,      ///< LDSM: rows of 16 bytes of up to four registers
    TurnedRows ///< LDSM.T
};

/// The element `part` of a lane's register `index`.
inline Cell placeInFragment(const MatrixDetail& t, const FragmentShape& s, unsigned lane, unsigned index, unsigned part)
{
    if (t.role == MatrixDetail::Role::C)
        return placeInC(s.element, s.outer, lane, index, part);
    return t.role == MatrixDetail::Role::B ? placeInB(s.element, s.outer, s.inner, lane, index, part)
                                           : placeInA(s.element, s.outer, s.inner, lane, index, part);
}

inline bool isByRows(FragmentMove move)
{
    return move == FragmentMove::Rows || move == FragmentMove::TurnedRows;
}

/// Registers of a fragment that one access moves, at most.
inline unsigned registersOfAccess(FragmentMove move)
{
    return isByRows(move) ? 4 : move == FragmentMove::Pairs ? 2 : 1;
}

/// `inShared`: the instruction names shared memory.
inline FragmentMove fragmentMove(const MatrixDetail& t, bool inShared)
{
    const FragmentShape s = fragmentShape(t);
    const unsigned bits = bitsOf(s.element);
    if (t.role == MatrixDetail::Role::C && bits >= 32)
        return s.alongInner ? FragmentMove::Pairs : FragmentMove::Words;
    if (bits >= 32)
        return FragmentMove::Words;
    const bool rows = inShared && t.role != MatrixDetail::Role::C && bits >= 8;
    if (s.alongInner)
        return rows ? FragmentMove::Rows : FragmentMove::Words;
    if (bits != 16)
        return FragmentMove::Elements;
    return rows ? FragmentMove::TurnedRows : FragmentMove::Turned;
}

} // namespace ridge::gpu::simt
