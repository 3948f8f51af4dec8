// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/fragments.h"
#include "gpu/simt/run/matrix_ops.h"
#include "gpu/simt/run/memory_access.h"

#include <cstring>

namespace ridge::gpu::simt {

template<class T>
inline T* plane(WarpRegisters& warp, std::uint32_t offset)
{
    return reinterpret_cast<T*>(warp.file + offset);
}

inline const MatrixDetail& detailOf(Warp& warp, const MicroOp& op)
{
    return warp.launch->image->matrices[op.e];
}

/// All lanes that live take part; the instruction waits for those that went another way.
inline bool allHere(Warp& warp, std::uint32_t mask)
{
    warp.waitMask = warp.live;
    return (warp.live & ~mask) == 0;
}

inline std::uint64_t elementAt(WarpRegisters& warp, std::uint32_t offset, Element element, unsigned lane, unsigned part)
{
    const unsigned bits = bitsOf(element);
    if (bits == 64)
        return plane<std::uint64_t>(warp, offset)[lane];
    const std::uint32_t word = plane<std::uint32_t>(warp, offset)[lane];
    return bits == 32 ? word : word >> (part * bits) & ((1u << bits) - 1);
}

inline void setElement(WarpRegisters& warp, std::uint32_t offset, Element element, unsigned lane, unsigned part,
                       std::uint64_t value)
{
    if (bitsOf(element) == 64) {
        plane<std::uint64_t>(warp, offset)[lane] = value;
        return;
    }
    std::uint32_t& word = plane<std::uint32_t>(warp, offset)[lane];
    const unsigned bits = bitsOf(element);
    if (bits == 32) {
        word = static_cast<std::uint32_t>(value);
        return;
    }
    const std::uint32_t ones = ((1u << bits) - 1) << (part * bits);
    word = (word & ~ones) | (static_cast<std::uint32_t>(value) << (part * bits) & ones);
}

/// Moves the addresses out of their window and checks and counts the access.
inline Step placeAt(Warp& warp, const MicroOp& op, PlacedAccess& access, MemoryOp kind)
{
    const MemoryDetail& memory = warp.launch->image->memory[op.detail];
    access.space = memory.space;
    if (memory.space == Space::Generic) {
        const auto first = static_cast<std::size_t>(std::countr_zero(access.lanes.mask));
        access.space = spaceOfGeneric(access.lanes.address[first]);
        const std::uint64_t window = windowOf(access.space);
        forMask(access.lanes.mask, [&](std::size_t lane) { access.lanes.address[lane] -= window; });
    }
    const Step step = resolve(warp, op, access, kind);
    if (step == Step::Next && warp.launch->check != nullptr)
        warp.launch->check->seen(warp, op, access, kind);
    return step;
}

/// wmma.load and wmma.store (fragment_ops.cpp).
template<bool Load>
Step moveFragment(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask);
extern template Step moveFragment<true>(WarpRegisters&, const MicroOp&, std::uint32_t);
extern template Step moveFragment<false>(WarpRegisters&, const MicroOp&, std::uint32_t);

} // namespace ridge::gpu::simt
