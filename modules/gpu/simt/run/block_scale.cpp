// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/block_scale.h"

#include "gpu/simt/lanes/small_float.h"
#include "gpu/simt/run/float_format.h"
#include "gpu/simt/run/matrix_parts.h"
#include "gpu/simt/run/sparse_row.h"

#include <cmath>

namespace ridge::gpu::simt {

namespace {

constexpr std::array<FloatFormat, 5> kSmall{
    {kE4M3, kE5M2, {2, 3, false, false}, {3, 2, false, false}, {1, 2, false, false}}};
constexpr unsigned kNibbleShift = 2;         ///< places up in its byte of an E2M1 that has one for itself
constexpr const FloatFormat& kScale = kE4M3; ///< ue4m3, whose sign bit is not there

/// Every term is brought to the fraction of an f16, which holds the product of a small float and its scale.
constexpr Element kCarrier = Element::F16;
constexpr int kCarrierFraction = 10;

std::uint32_t byteOf(std::uint32_t word, unsigned at)
{
    return word >> (8 * at) & 0xff;
}

Step multiplySmall(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const MatrixDetail& t = detailOf(warp, op);
    const SmallProduct product = unpacked(op.imm);
    const unsigned m = t.m, n = t.n, k = t.k;
    const bool isPacked = t.a == Element::S4; // two elements a byte
    const bool isSparse = t.metadata != kNone;
    const unsigned storedK = isSparse ? k / 2 : k;
    const unsigned perScale = product.scales != 0 ? k / product.scales : k;
    const unsigned pack = packOf(t.a);
    const auto gather = [&](unsigned rows, unsigned depth, Element type, const std::vector<std::uint32_t>& planes,
                            auto placeOf) {
        std::vector<std::uint32_t> out(std::size_t{rows} * depth);
        for (unsigned lane = 0; lane < kWarpSize; ++lane)
            for (unsigned index = 0; index < planes.size(); ++index)
                for (unsigned part = 0; part < pack; ++part) {
                    const Cell at = placeOf(lane, index, part);
                    out[std::size_t{at.outer} * depth + at.inner] =
                        static_cast<std::uint32_t>(elementAt(warp, planes[index], type, lane, part));
                }
        return out;
    };
    const auto scaled = [&](const std::vector<std::uint32_t>& bits, SmallElement kind, std::uint32_t scales,
                            auto holderOf, unsigned firstByte) {
        const ScaleType scaleType = product.scales == 0 ? ScaleType::None
                                    : product.isFine    ? ScaleType::Float
                                                        : ScaleType::Power;
        const unsigned shift = kind == SmallElement::E2M1 && !isPacked ? kNibbleShift : 0;
        std::vector<TensorTerm> out(bits.size());
        for (unsigned at = 0; at < bits.size(); ++at) {
            const std::uint32_t scale =
                product.scales == 0
                    ? 0
                    : byteOf(plane<std::uint32_t>(warp, scales)[holderOf(at / k)], firstByte + at % k / perScale);
            out[at] = smallTerm(kind, bits[at] >> shift, scaleType, scale);
        }
        return out;
    };
    std::vector<std::uint32_t> bitsA =
        gather(m, storedK, t.a, t.planesA, [&](unsigned lane, unsigned index, unsigned part) {
            return placeInA(t.a, m, storedK, lane, index, part);
        });
    if (isSparse) // what is left out is a zero
        bitsA = expandSparse(t, t.m, bitsA, plane<std::uint32_t>(warp, t.metadata));
    const std::vector<std::uint32_t> bitsB =
        gather(n, k, t.b, t.planesB,
               [&](unsigned lane, unsigned index, unsigned part) { return placeInB(t.b, n, k, lane, index, part); });
    // Rows 0 … 7 lie in the first lane of the pair, 8 … 15 in the second.
    const std::vector<TensorTerm> a = scaled(
        bitsA, product.a, op.a, [&](unsigned row) { return row % 8 * 4 + product.threadA * 2u + row / 8; },
        product.byteA);
    const std::vector<TensorTerm> b = scaled(
        bitsB, product.b, op.b, [&](unsigned column) { return column * 4 + product.threadB; }, product.byteB);
    TensorRules rules = warp.launch->tensor;
    rules.groupBits = kSmallCarrierBits * k;
    // All of C is read before any of D is written: they may be the same registers.
    std::vector<float> c(std::size_t{m} * n);
    const auto forResult = [&](Element type, const std::vector<std::uint32_t>& planes, auto visit) {
        for (unsigned lane = 0; lane < kWarpSize; ++lane)
            for (unsigned index = 0; index < planes.size(); ++index)
                for (unsigned part = 0; part < packOfC(type); ++part)
                    visit(lane, index, part, placeInC(type, m, lane, index, part));
    };
    forResult(t.c, t.planesC, [&](unsigned lane, unsigned index, unsigned part, Cell at) {
        const std::uint64_t bits = elementAt(warp, t.planesC[index], t.c, lane, part);
        c[std::size_t{at.outer} * n + at.inner] = t.c == Element::F16
                                                      ? halfToSingle(static_cast<std::uint16_t>(bits))
                                                      : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    });
    forResult(t.d, t.planesD, [&](unsigned lane, unsigned index, unsigned part, Cell at) {
        if ((mask >> lane & 1) == 0)
            return;
        const bool isHalf = t.d == Element::F16;
        const float sum = tensorSum(rules, kCarrier, &a[std::size_t{at.outer} * k], kCarrier,
                                    &b[std::size_t{at.inner} * k], k, c[std::size_t{at.outer} * n + at.inner], isHalf);
        setElement(warp, t.planesD[index], t.d, lane, part,
                   isHalf ? std::uint64_t{halfNearest(sum)} : std::uint64_t{std::bit_cast<std::uint32_t>(sum)});
    });
    return Step::Next;
}

Step convertSmall(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    const auto element = static_cast<SmallElement>(op.flags & (kSmallToBfloat - 1));
    const FloatFormat& format = kSmall[static_cast<std::size_t>(element)];
    const unsigned width = element == SmallElement::E2M1 ? 4 : 8;
    forMask(mask, [&](std::size_t lane) {
        std::uint32_t both = 0;
        for (unsigned at = 0; at < 2; ++at) {
            const std::uint32_t bits =
                plane<std::uint16_t>(registers, op.a)[lane] >> (width * at) & ((1u << width) - 1);
            const TensorTerm term = decodeTerm(format, bits);
            const bool isNegative = (bits >> (format.fraction + format.exponent) & 1) != 0;
            double value = term.isNan        ? std::nan("")
                           : term.isInfinite ? HUGE_VAL
                                             : std::ldexp(std::abs(term.mantissa), term.exponent - format.fraction);
            if (isNegative)
                value = (op.flags & kSmallRelu) != 0 && !term.isNan ? 0.0 : -value;
            const std::uint32_t half = (op.flags & kSmallToBfloat) != 0 ? bfloatNearest(value) : halfNearest(value);
            both |= half << (16 * at);
        }
        plane<std::uint32_t>(registers, op.d)[lane] = both;
    });
    return Step::Next;
}

} // namespace

TensorTerm smallTerm(SmallElement element, std::uint32_t bits, ScaleType type, std::uint32_t scale)
{
    const FloatFormat& format = kSmall[static_cast<std::size_t>(element)];
    TensorTerm term = decodeTerm(format, bits);
    int fraction = format.fraction;
    if (type == ScaleType::Power) {
        constexpr std::uint32_t kNan = 0xff;
        constexpr int kBias = 127;
        term.exponent = static_cast<std::int16_t>(term.exponent + static_cast<int>(scale) - kBias);
        term.isNan = term.isNan || scale == kNan;
    } else if (type == ScaleType::Float) {
        const TensorTerm by = decodeTerm(kScale, scale & 0x7f);
        term.isNan = term.isNan || by.isNan || (term.isInfinite && by.mantissa == 0);
        term.mantissa *= by.mantissa;
        term.exponent = static_cast<std::int16_t>(term.exponent + by.exponent);
        fraction += kScale.fraction;
    }
    term.mantissa *= 1 << (kCarrierFraction - fraction);
    return term;
}

std::int64_t packed(const SmallProduct& p)
{
    std::int64_t bits = 0;
    for (const int field : {int{p.threadB}, int{p.threadA}, int{p.byteB}, int{p.byteA}, int{p.isFine}, int{p.scales},
                            static_cast<int>(p.b), static_cast<int>(p.a)})
        bits = bits << 3 | field;
    return bits;
}

SmallProduct unpacked(std::int64_t bits)
{
    const auto next = [&] {
        const auto field = static_cast<std::uint8_t>(bits & 7);
        bits >>= 3;
        return field;
    };
    SmallProduct p;
    p.a = static_cast<SmallElement>(next());
    p.b = static_cast<SmallElement>(next());
    p.scales = next();
    p.isFine = next() != 0;
    p.byteA = next();
    p.byteB = next();
    p.threadA = next();
    p.threadB = next();
    return p;
}

OpFunction findSmallConvert()
{
    return &convertSmall;
}

OpFunction findSmallProduct()
{
    return &multiplySmall;
}

} // namespace ridge::gpu::simt
