// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lanes/lane_reference.h"

#include "gpu/simt/lanes/exact.h"

namespace ridge::gpu::simt {

namespace {

using namespace exact;

u64 extremum(const Format& f, const LaneKey& key, u64 a, u64 b)
{
    const bool least = key.op == LaneOp::Min || key.op == LaneOp::MinNaN;
    const bool propagate = key.op == LaneOp::MinNaN || key.op == LaneOp::MaxNaN;
    a = key.flush ? flushed(f, a) : a;
    b = key.flush ? flushed(f, b) : b;
    const Exact x = decode(f, a, false);
    const Exact y = decode(f, b, false);
    const bool nanA = x.kind == Exact::Kind::NotANumber;
    const bool nanB = y.kind == Exact::Kind::NotANumber;
    if (nanA || nanB)
        return propagate || (nanA && nanB) ? f.nan : nanA ? b : a;
    const int o = order(x, y);
    if (o == 0)
        return x.negative == least ? a : b; // zeros of different sign
    return (o < 0) == least ? a : b;
}

bool holds(Compare compare, const Exact& a, const Exact& b)
{
    const bool unordered = a.kind == Exact::Kind::NotANumber || b.kind == Exact::Kind::NotANumber;
    if (compare == Compare::Num || compare == Compare::Nan)
        return unordered == (compare == Compare::Nan);
    if (unordered)
        return compare >= Compare::Equ;
    const int o = order(a, b);
    switch (compare) {
    case Compare::Eq:
    case Compare::Equ:
        return o == 0;
    case Compare::Ne:
    case Compare::Neu:
        return o != 0;
    case Compare::Lt:
    case Compare::Ltu:
        return o < 0;
    case Compare::Le:
    case Compare::Leu:
        return o <= 0;
    case Compare::Gt:
    case Compare::Gtu:
        return o > 0;
    default:
        return o >= 0;
    }
}

u64 finished(const Format& f, const LaneKey& key, const Exact& value)
{
    u64 bits = encode(f, value, key.rounding);
    if (key.saturate) {
        const Exact rounded = decode(f, bits, false);
        const bool above = rounded.kind != Exact::Kind::NotANumber && !rounded.negative && !rounded.isZero();
        bits = !above ? 0 : order(rounded, one()) > 0 ? encode(f, one(), Rounding::Nearest) : bits;
    }
    if (key.relu && bits != f.nan && (bits & signBit(f, true)) != 0)
        bits = 0;
    return key.flush ? flushed(f, bits) : bits;
}

} // namespace

bool isReferenceOp(const LaneKey& key)
{
    const bool type = key.type == ScalarType::F16 || key.type == ScalarType::BF16 || key.type == ScalarType::F32 ||
                      key.type == ScalarType::F64;
    switch (key.op) {
    case LaneOp::Add:
    case LaneOp::Sub:
    case LaneOp::Mul:
    case LaneOp::Fma:
    case LaneOp::Div:
    case LaneOp::Rcp:
    case LaneOp::Sqrt:
    case LaneOp::Min:
    case LaneOp::Max:
    case LaneOp::MinNaN:
    case LaneOp::MaxNaN:
    case LaneOp::Abs:
    case LaneOp::Neg:
    case LaneOp::SetPredicate:
        return type;
    default:
        return false;
    }
}

std::uint64_t referenceLane(const LaneKey& key, std::uint64_t a, std::uint64_t b, std::uint64_t c)
{
    const Format f = formatOf(key.type);
    const Exact x = decode(f, a, key.flush);
    const Exact y = decode(f, b, key.flush);
    const Exact z = decode(f, c, key.flush);
    switch (key.op) {
    case LaneOp::Add:
        return finished(f, key, sum(x, y, key.rounding));
    case LaneOp::Sub: {
        Exact minus = y;
        minus.negative = !y.negative;
        return finished(f, key, sum(x, minus, key.rounding));
    }
    case LaneOp::Mul:
        return finished(f, key, product(x, y));
    case LaneOp::Fma:
        return finished(f, key, sum(product(x, y), z, key.rounding));
    case LaneOp::Div:
        return finished(f, key, quotient(x, y));
    case LaneOp::Rcp:
        return finished(f, key, quotient(one(), x));
    case LaneOp::Sqrt:
        return finished(f, key, root(x));
    case LaneOp::Abs:
        return (key.flush ? flushed(f, a) : a) & ~signBit(f, true);
    case LaneOp::Neg:
        return (key.flush ? flushed(f, a) : a) ^ signBit(f, true);
    case LaneOp::SetPredicate:
        return holds(key.compare, x, y) ? 1 : 0;
    default:
        return extremum(f, key, a, b);
    }
}

} // namespace ridge::gpu::simt
