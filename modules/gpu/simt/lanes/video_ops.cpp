// SPDX-License-Identifier: GPL-3.0-or-later
// As the PTX ISA describes them ("Video Instructions"): exact intermediate values of 34 bits, 128 in vmad. ptxas makes
// several machine instructions of each; where a sum leaves 32 bits unsaturated and goes on to .min or .max, ptxas 13
// compares other values than the ISA says, which is not imitated.
#include "gpu/simt/lanes/video.h"

#include "gpu/simt/lanes/scalar_ops.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

using u32 = std::uint32_t;
using s64 = std::int64_t;
using Kind = VideoSpec::Kind;
using Part = VideoSpec::Part;
__extension__ typedef __int128 s128;

/// Bits written and read in one order.
class Packer {
public:
    explicit Packer(std::uint64_t bits = 0) : m_left(bits) {}
    template<class T>
    void put(T value, unsigned width)
    {
        m_bits |= static_cast<std::uint64_t>(value) << m_at;
        m_at += width;
    }
    template<class T>
    void get(T& value, unsigned width)
    {
        value = static_cast<T>(m_left & ((std::uint64_t{1} << width) - 1));
        m_left >>= width;
    }
    std::int64_t bits() const { return static_cast<std::int64_t>(m_bits); }

private:
    std::uint64_t m_bits = 0;
    std::uint64_t m_left = 0;
    unsigned m_at = 0;
};

template<class Spec, class F>
void eachField(Spec& spec, F field)
{
    field(spec.kind, 4);
    field(spec.elements, 3);
    field(spec.second, 2);
    field(spec.compare, 4);
    field(spec.scale, 4);
    for (auto* flag : {&spec.signedD, &spec.signedA, &spec.signedB, &spec.saturate, &spec.clampShift,
                       &spec.negateProduct, &spec.negateC, &spec.plusOne})
        field(*flag, 1);
    // Scalar forms and forms of several elements never need both.
    if (spec.elements == 1) {
        for (auto* part : {&spec.a, &spec.b, &spec.d})
            field(*part, 3);
        return;
    }
    field(spec.mask, 4);
    for (auto& pick : spec.pickA)
        field(pick, 3);
    for (auto& pick : spec.pickB)
        field(pick, 3);
}

unsigned widthOf(Part part)
{
    return part == Part::Word ? 32 : part >= Part::H0 ? 16 : 8;
}

unsigned placeOf(Part part)
{
    return part == Part::Word ? 0
           : part >= Part::H0 ? 16u * (part == Part::H1 ? 1 : 0)
                              : 8u * static_cast<unsigned>(part);
}

s64 extend(u32 bits, unsigned width, bool isSignedValue)
{
    const u32 low = width == 32 ? bits : bits & ((u32{1} << width) - 1);
    const bool negative = isSignedValue && (low >> (width - 1) & 1) != 0;
    return negative ? s64{low} - (s64{1} << width) : s64{low};
}

s64 clampTo(s64 value, unsigned width, bool isSignedValue)
{
    const s64 least = isSignedValue ? -(s64{1} << (width - 1)) : 0;
    return std::clamp(value, least, least + (s64{1} << width) - 1);
}

bool holds(Compare compare, s64 a, s64 b)
{
    switch (compare) {
    case Compare::Eq:
        return a == b;
    case Compare::Ne:
        return a != b;
    case Compare::Lt:
        return a < b;
    case Compare::Le:
        return a <= b;
    case Compare::Gt:
        return a > b;
    default:
        return a >= b;
    }
}

/// Left shifts lose what does not fit the signed 34 bits of an intermediate result.
s64 shifted(const VideoSpec& spec, s64 a, s64 b)
{
    const auto by = static_cast<unsigned>(spec.clampShift ? std::min<s64>(b, 32) : b & 31);
    if (spec.kind == Kind::Shr)
        return a >> by;
    return static_cast<s64>(static_cast<std::uint64_t>(a) << by << 30) >> 30;
}

s64 primary(const VideoSpec& spec, s64 a, s64 b)
{
    switch (spec.kind) {
    case Kind::Add:
        return a + b;
    case Kind::Sub:
        return a - b;
    case Kind::AbsDiff:
        return a > b ? a - b : b - a;
    case Kind::Min:
        return std::min(a, b);
    case Kind::Max:
        return std::max(a, b);
    case Kind::Average:
        return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case Kind::Set:
        return holds(spec.compare, a, b) ? 1 : 0;
    default:
        return shifted(spec, a, b);
    }
}

u32 multiplyAdd(const VideoSpec& spec, s64 a, s64 b, u32 c)
{
    const bool isSignedResult = spec.signedA || spec.signedB || spec.negateProduct || spec.negateC;
    s128 product = s128{a} * b;
    product = spec.negateProduct ? ~product : product;
    const s64 third = extend(spec.negateC ? ~c : c, 32, isSignedResult);
    const bool one = spec.plusOne || spec.negateProduct || spec.negateC;
    const s128 result = (product + third + (one ? 1 : 0)) >> spec.scale;
    if (!spec.saturate)
        return static_cast<u32>(result);
    const s64 least = isSignedResult ? INT32_MIN : 0;
    const s64 most = isSignedResult ? s64{INT32_MAX} : s64{UINT32_MAX};
    return static_cast<u32>(result < least ? least : result > most ? most : static_cast<s64>(result));
}

u32 scalarForm(const VideoSpec& spec, u32 x, u32 y, u32 c)
{
    const s64 a = extend(x >> placeOf(spec.a), widthOf(spec.a), spec.signedA);
    const s64 b = extend(y >> placeOf(spec.b), widthOf(spec.b), spec.signedB);
    if (spec.kind == Kind::Mad)
        return multiplyAdd(spec, a, b, c);
    const unsigned width = widthOf(spec.d);
    s64 result = primary(spec, a, b);
    if (spec.saturate)
        result = clampTo(result, width, spec.signedD);
    const s64 third = extend(c, 32, spec.signedD);
    if (spec.second == VideoSpec::Second::Add)
        result += third;
    else if (spec.second == VideoSpec::Second::Min)
        result = std::min(result, third);
    else if (spec.second == VideoSpec::Second::Max)
        result = std::max(result, third);
    if (width == 32)
        return static_cast<u32>(result);
    const u32 all = ((u32{1} << width) - 1) << placeOf(spec.d);
    return (static_cast<u32>(result) << placeOf(spec.d) & all) | (c & ~all);
}

u32 severalElements(const VideoSpec& spec, u32 x, u32 y, u32 c)
{
    const unsigned width = 32u / spec.elements;
    const std::uint64_t both = std::uint64_t{y} << 32 | x;
    u32 merged = 0, total = c;
    for (unsigned at = 0; at < spec.elements; ++at) {
        const u32 all = static_cast<u32>((std::uint64_t{1} << width) - 1) << (at * width);
        if ((spec.mask >> at & 1) == 0) {
            merged |= c & all;
            continue;
        }
        s64 result = primary(spec, extend(static_cast<u32>(both >> (spec.pickA[at] * width)), width, spec.signedA),
                             extend(static_cast<u32>(both >> (spec.pickB[at] * width)), width, spec.signedB));
        if (spec.saturate)
            result = clampTo(result, width, spec.signedD);
        merged |= static_cast<u32>(result) << (at * width) & all;
        total += static_cast<u32>(result);
    }
    return spec.second == VideoSpec::Second::Add ? total : merged;
}

Step videoLanes(WarpRegisters& warp, const MicroOp& op, std::uint32_t mask)
{
    const VideoSpec spec = unpackVideo(op.imm);
    const auto compute = spec.elements == 1 ? scalarForm : severalElements;
    forLanes(mask, [&](int lane) {
        scalarPlane<u32>(warp, op.d)[lane] =
            compute(spec, scalarPlane<u32>(warp, op.a)[lane], scalarPlane<u32>(warp, op.b)[lane],
                    scalarPlane<u32>(warp, op.c)[lane]);
    });
    return Step::Next;
}

} // namespace

std::int64_t packVideo(const VideoSpec& spec)
{
    Packer packer;
    eachField(spec, [&](const auto& field, unsigned width) { packer.put(field, width); });
    return packer.bits();
}

VideoSpec unpackVideo(std::int64_t bits)
{
    VideoSpec spec;
    Packer packer(static_cast<std::uint64_t>(bits));
    eachField(spec, [&](auto& field, unsigned width) { packer.get(field, width); });
    return spec;
}

OpFunction findVideoOp()
{
    return &videoLanes;
}

} // namespace ridge::gpu::simt
