// SPDX-License-Identifier: GPL-3.0-or-later
// The entry of a lane build; see lane_loops.h for the rules of these files.
#pragma once

#include "gpu/simt/lanes/lane_compare.h"
#include "gpu/simt/lanes/lane_mufu.h"

namespace ridge::gpu::simt::RIDGE_LANES {

namespace {

OpFunction findCompare(const LaneKey& key)
{
    switch (key.type) {
    case ScalarType::B16:
    case ScalarType::U16:
        return findIntegerCompare<u16, u16>(key.compare);
    case ScalarType::S16:
        return findIntegerCompare<u16, s16>(key.compare);
    case ScalarType::B32:
    case ScalarType::U32:
        return findIntegerCompare<u32, u32>(key.compare);
    case ScalarType::S32:
        return findIntegerCompare<u32, s32>(key.compare);
    case ScalarType::B64:
    case ScalarType::U64:
        return findIntegerCompare<u64, u64>(key.compare);
    case ScalarType::S64:
        return findIntegerCompare<u64, s64>(key.compare);
    case ScalarType::F32:
        return key.flush ? findFloatCompare<u32, true>(key.compare) : findFloatCompare<u32, false>(key.compare);
    case ScalarType::F64:
        return findFloatCompare<u64, false>(key.compare);
    default:
        return nullptr;
    }
}

bool movesBits(LaneOp op)
{
    return op == LaneOp::Mov || op == LaneOp::Selp;
}

template<class U>
OpFunction findWide(const LaneKey& key, bool isSignedType)
{
    if (const OpFunction found = isSignedType ? findBitField<U, true>(key.op) : findBitField<U, false>(key.op))
        return found;
    if (sizeof(U) == 4) {
        if (const OpFunction found = findWord(key.op))
            return found;
    }
    return isSignedType ? findInteger<U, true>(key.op) : findInteger<U, false>(key.op);
}

} // namespace

OpFunction find(const LaneKey& key)
{
    if (key.op == LaneOp::SetPredicate)
        return findCompare(key);
    if (key.op == LaneOp::Convert)
        return findConvert(key.convert);
    if (key.type == ScalarType::Pred)
        return findPredicate(key.op);
    if (const OpFunction found = findPacking(key.op))
        return found;
    if (key.rounding != Rounding::Nearest)
        return nullptr;
    const bool isSignedType = isSigned(key.type);
    switch (key.type) {
    case ScalarType::F32:
        if (const OpFunction found = key.saturate ? nullptr : findUnit(key.op, key.flush))
            return found;
        return movesBits(key.op) ? findInteger<u32, false>(key.op) : findFloat<u32>(key);
    case ScalarType::F64:
        return movesBits(key.op) ? findInteger<u64, false>(key.op) : findFloat<u64>(key);
    default:
        break;
    }
    if (key.saturate || key.flush)
        return nullptr;
    if (isFloat(key.type) && !movesBits(key.op))
        return nullptr;
    switch (sizeOf(key.type)) {
    case 2:
        return isSignedType ? findInteger<u16, true>(key.op) : findInteger<u16, false>(key.op);
    case 4:
        return findWide<u32>(key, isSignedType);
    case 8:
        return findWide<u64>(key, isSignedType);
    default:
        return nullptr;
    }
}

} // namespace ridge::gpu::simt::RIDGE_LANES
