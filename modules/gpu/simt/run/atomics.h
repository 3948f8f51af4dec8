// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"
#include "gpu/simt/lanes/scalar_ops.h"
#include "gpu/simt/lanes/small_float.h"

#include <algorithm>

namespace ridge::gpu::simt {

inline bool isAtomicSupported(AtomicOp op, ScalarType type)
{
    using T = ScalarType;
    const bool integer = type == T::U32 || type == T::S32 || type == T::U64 || type == T::S64;
    const bool half = type == T::F16 || type == T::BF16 || type == T::F16x2 || type == T::BF16x2;
    switch (op) {
    case AtomicOp::Add:
        return integer || half || type == T::F32 || type == T::F64;
    case AtomicOp::Min:
    case AtomicOp::Max:
        return integer || half;
    case AtomicOp::Inc:
    case AtomicOp::Dec:
        return type == T::U32;
    case AtomicOp::Cas:
        return type == T::B16 || type == T::B32 || type == T::B64 || type == T::B128;
    case AtomicOp::Exch:
        return type == T::B32 || type == T::B64 || type == T::B128;
    default:
        return type == T::B32 || type == T::B64;
    }
}

/// One half of add, min or max: the same rounding and the same order of zeros as the arithmetic instructions.
inline std::uint16_t halfAtomic(AtomicOp op, bool bfloat, std::uint16_t old, std::uint16_t b)
{
    const float x = bfloat ? bfloatToSingle(old) : halfToSingle(old);
    const float y = bfloat ? bfloatToSingle(b) : halfToSingle(b);
    if (op == AtomicOp::Add)
        return bfloat ? bfloatNearest(double{x} + y) : halfNearest(double{x} + y);
    if (x != x || y != y)
        return x != x && y != y ? std::uint16_t{0x7fff} : x != x ? b : old;
    if (x == y)
        return static_cast<std::uint16_t>(op == AtomicOp::Min ? old | b : old & b);
    return (x < y) == (op == AtomicOp::Min) ? old : b;
}

template<class U>
U halvesAtomic(AtomicOp op, bool bfloat, U old, U b)
{
    U result = 0;
    for (unsigned shift = 0; shift < sizeof(U) * 8; shift += 16)
        result = static_cast<U>(result | static_cast<U>(halfAtomic(op, bfloat, static_cast<std::uint16_t>(old >> shift),
                                                                   static_cast<std::uint16_t>(b >> shift)))
                                             << shift);
    return result;
}

template<class U>
U addAtomic(ScalarType type, Space space, U old, U b)
{
    if constexpr (sizeof(U) == 4) {
        if (type == ScalarType::F32) {
            // On global memory denormals are flushed, on shared memory they are kept (PTX ISA, "atom").
            const bool flush = space == Space::Global;
            const float sum =
                std::bit_cast<float>(flush ? flushSingle(old) : old) + std::bit_cast<float>(flush ? flushSingle(b) : b);
            return finishSingle(sum, {Rounding::Nearest, flush, false});
        }
    } else if constexpr (sizeof(U) == 8) {
        if (type == ScalarType::F64)
            return finishDouble(std::bit_cast<double>(old) + std::bit_cast<double>(b));
    }
    return static_cast<U>(old + b);
}

template<class U>
U applyNarrow(const MemoryDetail& detail, Space space, U old, U b, U c)
{
    if constexpr (sizeof(U) <= 4) {
        const bool bfloat = detail.type == ScalarType::BF16 || detail.type == ScalarType::BF16x2;
        if (bfloat || detail.type == ScalarType::F16 || detail.type == ScalarType::F16x2)
            return halvesAtomic<U>(detail.atomic, bfloat, old, b);
    }
    using S = std::make_signed_t<U>;
    const bool less = isSigned(detail.type) ? static_cast<S>(old) < static_cast<S>(b) : old < b;
    switch (detail.atomic) {
    case AtomicOp::Add:
        return addAtomic(detail.type, space, old, b);
    case AtomicOp::Min:
        return less ? old : b;
    case AtomicOp::Max:
        return less ? b : old;
    case AtomicOp::And:
        return old & b;
    case AtomicOp::Or:
        return old | b;
    case AtomicOp::Xor:
        return old ^ b;
    case AtomicOp::Inc:
        return static_cast<U>(old >= b ? 0 : old + 1);
    case AtomicOp::Dec:
        return static_cast<U>(old == 0 || old > b ? b : old - 1);
    case AtomicOp::Exch:
        return b;
    case AtomicOp::Cas:
        return old == b ? c : old;
    }
    return old;
}

/// The value that an atomic leaves in memory.
template<class U>
U applyAtomic(const MemoryDetail& detail, Space space, U old, U b, U c)
{
    if constexpr (sizeof(U) == 16)
        return detail.atomic == AtomicOp::Exch ? b : old == b ? c : old;
    else
        return applyNarrow<U>(detail, space, old, b, c);
}

} // namespace ridge::gpu::simt
