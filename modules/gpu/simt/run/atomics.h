// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lanes/scalar_ops.h"
#include "gpu/simt/lower/kernel_image.h"

#include <algorithm>

namespace ridge::gpu::simt {

inline bool isAtomicSupported(AtomicOp op, ScalarType type)
{
    const bool integer =
        type == ScalarType::U32 || type == ScalarType::S32 || type == ScalarType::U64 || type == ScalarType::S64;
    const bool bits = type == ScalarType::B32 || type == ScalarType::B64;
    switch (op) {
    case AtomicOp::Add:
        return integer || type == ScalarType::F32 || type == ScalarType::F64;
    case AtomicOp::Min:
    case AtomicOp::Max:
        return integer;
    case AtomicOp::Inc:
    case AtomicOp::Dec:
        return type == ScalarType::U32;
    default:
        return bits;
    }
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
    } else if (type == ScalarType::F64) {
        return finishDouble(std::bit_cast<double>(old) + std::bit_cast<double>(b));
    }
    return old + b;
}

/// The value that an atomic leaves in memory.
template<class U>
U applyAtomic(const MemoryDetail& detail, Space space, U old, U b, U c)
{
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
        return old >= b ? 0 : old + 1;
    case AtomicOp::Dec:
        return old == 0 || old > b ? b : old - 1;
    case AtomicOp::Exch:
        return b;
    case AtomicOp::Cas:
        return old == b ? c : old;
    }
    return old;
}

} // namespace ridge::gpu::simt
