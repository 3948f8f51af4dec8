// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/tensor_math.h"

#include "gpu/simt/lanes/scalar_ops.h"
#include "gpu/simt/lanes/small_float.h"
#include "gpu/simt/run/float_format.h"
#include "gpu/simt/run/tensor_lanes.h"

#include <algorithm>
#include <cmath>

namespace ridge::gpu::simt {

namespace {

constexpr FloatFormat kF16{10, 5, true};
constexpr FloatFormat kBF16{7, 8, true};
constexpr FloatFormat kTF32{10, 8, true};
constexpr FloatFormat kF32{23, 8, true};

/// sum * 2^(exponent - fraction), cut off to an f32 with `kept` fraction bits.
float truncated(std::int64_t sum, int exponent, int fraction, int kept)
{
    if (sum == 0)
        return 0.0f;
    const bool negative = sum < 0;
    const std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(sum) : static_cast<std::uint64_t>(sum);
    const int top = 63 - std::countl_zero(magnitude);
    const int leading = exponent - fraction + top; // of the value
    const int lost = std::max(top - kept, -126 - kept - (exponent - fraction));
    const std::uint64_t left = lost <= 0 ? magnitude : lost > 63 ? 0 : magnitude >> lost << lost;
    if (leading > 127)
        return negative ? -HUGE_VALF : HUGE_VALF;
    if (left == 0)
        return 0.0f; // an H200 forgets the sign of what was too small
    const double value = std::ldexp(static_cast<double>(left), exponent - fraction);
    return static_cast<float>(negative ? -value : value);
}

/// A mantissa with `has` fraction bits, cut off to `wanted` of them `below` places further down.
std::int64_t aligned(std::int64_t mantissa, int has, int wanted, int below)
{
    const std::int64_t magnitude = mantissa < 0 ? -mantissa : mantissa;
    const int right = below + has - wanted;
    const std::int64_t shifted = right > 62 ? 0 : right >= 0 ? magnitude >> right : magnitude << -right;
    return mantissa < 0 ? -shifted : shifted;
}

constexpr int kNothing = -10000;

struct Group {
    int fractionA = 0, fractionB = 0;
    int fraction = 25; ///< of aligned addends
    bool half = false; ///< the sum is rounded to an f16
};

float groupSum(const Group& group, const TensorTerm* a, const TensorTerm* b, unsigned count, float c)
{
    const TensorTerm start = decodeTerm(kF32, std::bit_cast<std::uint32_t>(c));
    int top = start.mantissa != 0 ? start.exponent : kNothing;
    bool nan = start.isNan;
    bool up = start.isInfinite && c > 0;
    bool down = start.isInfinite && c < 0;
    for (unsigned i = 0; i < count; ++i) {
        const bool infinite = a[i].isInfinite || b[i].isInfinite;
        if (a[i].isNan || b[i].isNan || infinite) {
            const bool zero = (!a[i].isInfinite && a[i].mantissa == 0) || (!b[i].isInfinite && b[i].mantissa == 0);
            nan = nan || a[i].isNan || b[i].isNan || zero;
            const bool negative = (a[i].mantissa < 0) != (b[i].mantissa < 0);
            up = up || (infinite && !negative);
            down = down || (infinite && negative);
        } else if (a[i].mantissa != 0 && b[i].mantissa != 0) {
            top = std::max(top, a[i].exponent + b[i].exponent);
        }
    }
    if (nan || (up && down))
        return std::bit_cast<float>(kNanSingle);
    if (up || down)
        return up ? HUGE_VALF : -HUGE_VALF;
    if (top == kNothing)
        return 0.0f; // also where c is -0: measured on an H200
    std::int64_t sum = start.mantissa != 0 ? aligned(start.mantissa, 23, group.fraction, top - start.exponent) : 0;
    for (unsigned i = 0; i < count; ++i)
        sum += aligned(std::int64_t{a[i].mantissa} * b[i].mantissa, group.fractionA + group.fractionB, group.fraction,
                       top - a[i].exponent - b[i].exponent);
    if (group.half) // a double holds the sum exactly
        return halfToSingle(halfNearest(std::ldexp(static_cast<double>(sum), top - group.fraction)));
    return truncated(sum, top, group.fraction, std::min(group.fraction, kF32.fraction));
}

std::int64_t integerOf(Element element, std::uint64_t bits)
{
    switch (element) {
    case Element::S8:
        return static_cast<std::int8_t>(bits);
    case Element::U8:
        return static_cast<std::uint8_t>(bits);
    case Element::S4:
        return static_cast<std::int64_t>((bits & 15) ^ 8) - 8;
    case Element::U4:
        return static_cast<std::int64_t>(bits & 15);
    default:
        return static_cast<std::int64_t>(bits & 1);
    }
}

void multiplyIntegers(const TensorProduct& p)
{
    const MatrixDetail& detail = *p.detail;
    const bool isBit = detail.a == Element::B1;
    for (unsigned row = 0; row < p.m; ++row) {
        for (unsigned column = 0; column < p.n; ++column) {
            std::int64_t sum = p.c == nullptr ? 0 : static_cast<std::int32_t>(p.c[row * p.n + column]);
            for (unsigned k = 0; k < p.k; ++k) {
                const std::int64_t x = integerOf(detail.a, p.a[row * p.k + k]);
                const std::int64_t y = integerOf(detail.b, p.b[column * p.k + k]);
                sum += isBit ? (detail.isAnd ? x & y : x ^ y) : x * y;
            }
            if (detail.saturate)
                sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
            p.d[row * p.n + column] = static_cast<std::uint32_t>(sum);
        }
    }
}

/// a*b + sum with an H200's NaN: that of b before that of the sum before that of a, made quiet.
std::uint64_t fusedDouble(std::uint64_t a, std::uint64_t b, std::uint64_t sum)
{
    constexpr std::uint64_t kQuiet = 1ull << 51;
    for (const std::uint64_t bits : {b, sum, a})
        if (std::isnan(std::bit_cast<double>(bits)))
            return bits | kQuiet;
    return finishDouble(std::fma(std::bit_cast<double>(a), std::bit_cast<double>(b), std::bit_cast<double>(sum)));
}

void multiplyDoubles(const TensorProduct& p)
{
    for (unsigned row = 0; row < p.m; ++row) {
        for (unsigned column = 0; column < p.n; ++column) {
            std::uint64_t sum = p.c == nullptr ? 0 : p.c[row * p.n + column];
            for (unsigned k = 0; k < p.k; ++k)
                sum = fusedDouble(p.a[row * p.k + k], p.b[column * p.k + k], sum);
            p.d[row * p.n + column] = sum;
        }
    }
}

/// False where products of many lanes are not for it; d is as it was then.
bool multiplyLanes(const TensorProduct& p)
{
    const MatrixDetail& detail = *p.detail;
    if (!TensorLanes::takes(detail, p.rules))
        return false;
    TensorLanes& lanes = TensorLanes::ofThisThread();
    lanes.prepare(detail, p.m, p.n, p.k, p.rules);
    const auto fill = [&](TensorSide& side, const std::uint64_t* bits) {
        const unsigned pack = side.pack(), width = bitsOf(side.element);
        for (unsigned row = 0; row < side.outer; ++row) {
            for (unsigned k = 0; k < p.k; k += pack) {
                std::uint32_t word = 0;
                for (unsigned part = 0; part < std::min(pack, p.k - k); ++part)
                    word |= static_cast<std::uint32_t>(bits[std::size_t{row} * p.k + k + part]) << (part * width);
                side.words[std::size_t{k / pack} * side.stride + row] = word;
            }
        }
    };
    fill(lanes.a, p.a);
    fill(lanes.b, p.b);
    for (unsigned row = 0; row < p.m; ++row) {
        for (unsigned column = 0; column < p.n; ++column) {
            const std::uint64_t bits = p.c == nullptr ? 0 : p.c[std::size_t{row} * p.n + column];
            lanes.sums[lanes.at(row, column)] =
                detail.c == Element::F16 ? std::bit_cast<std::uint32_t>(halfToSingle(static_cast<std::uint16_t>(bits)))
                                         : static_cast<std::uint32_t>(bits);
        }
    }
    if (!lanes.multiply())
        return false;
    for (unsigned row = 0; row < p.m; ++row) {
        for (unsigned column = 0; column < p.n; ++column) {
            const std::uint32_t bits = lanes.sums[lanes.at(row, column)];
            p.d[std::size_t{row} * p.n + column] =
                detail.d == Element::F16 ? halfNearest(std::bit_cast<float>(bits)) : bits;
        }
    }
    return true;
}

std::vector<TensorTerm> decodeAll(Element element, const std::uint64_t* bits, std::size_t count)
{
    std::vector<TensorTerm> terms(count);
    for (std::size_t i = 0; i < count; ++i)
        terms[i] = decodeTerm(element, static_cast<std::uint32_t>(bits[i]));
    return terms;
}

void multiplyReals(const TensorProduct& p)
{
    const MatrixDetail& detail = *p.detail;
    const bool isWarpgroup = detail.descriptorB != kNone;
    const bool unpacked = p.rules.unpacksBytes && bitsOf(detail.a) == 8 && !isWarpgroup;
    auto a = decodeAll(detail.a, p.a, std::size_t{p.m} * p.k);
    auto b = decodeAll(detail.b, p.b, std::size_t{p.n} * p.k);
    if (unpacked) {
        const bool sparse = detail.metadata != kNone;
        for (unsigned row = 0; row < p.m; ++row)
            unpackBytes(detail.a, &a[row * p.k], p.k, sparse);
        for (unsigned column = 0; column < p.n; ++column)
            unpackBytes(detail.b, &b[column * p.k], p.k, sparse);
    }
    for (unsigned row = 0; row < p.m; ++row) {
        for (unsigned column = 0; column < p.n; ++column) {
            const std::uint64_t bits = p.c == nullptr ? 0 : p.c[row * p.n + column];
            const float c = detail.c == Element::F16 ? halfToSingle(static_cast<std::uint16_t>(bits))
                                                     : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
            const bool half = detail.d == Element::F16;
            const float sum =
                unpacked ? unpackedSum(p.rules, &a[row * p.k], &b[column * p.k], p.k, c, half)
                         : tensorSum(p.rules, detail.a, &a[row * p.k], detail.b, &b[column * p.k], p.k, c, half);
            p.d[row * p.n + column] = half ? halfNearest(sum) : std::bit_cast<std::uint32_t>(sum);
        }
    }
}

} // namespace

const FloatFormat& formatOf(Element element)
{
    switch (element) {
    case Element::F16:
        return kF16;
    case Element::BF16:
        return kBF16;
    case Element::TF32:
        return kTF32;
    case Element::E4M3:
        return kE4M3;
    case Element::E5M2:
        return kE5M2;
    default:
        return kF32;
    }
}

unsigned bitsOf(Element element)
{
    switch (element) {
    case Element::F16:
    case Element::BF16:
        return 16;
    case Element::S8:
    case Element::U8:
    case Element::E4M3:
    case Element::E5M2:
        return 8;
    case Element::S4:
    case Element::U4:
        return 4;
    case Element::B1:
        return 1;
    case Element::F64:
        return 64;
    default:
        return 32;
    }
}

bool isRealElement(Element element)
{
    return element <= Element::F64 || element == Element::E4M3 || element == Element::E5M2;
}

TensorTerm decodeTerm(const FloatFormat& format, std::uint32_t bits)
{
    const auto ones = (1u << format.exponent) - 1;
    const std::uint32_t field = bits >> format.fraction & ones;
    const std::uint32_t fraction = bits & ((1u << format.fraction) - 1);
    const bool negative = (bits >> (format.fraction + format.exponent) & 1) != 0;
    const int bias = static_cast<int>(ones >> 1);
    TensorTerm term;
    term.mantissa = static_cast<std::int32_t>(field == 0 ? fraction : fraction | 1u << format.fraction);
    term.exponent = static_cast<std::int16_t>(std::max(static_cast<int>(field), 1) - bias);
    term.mantissa = negative ? -term.mantissa : term.mantissa;
    if (format.hasInfinity && field == ones) {
        term.isNan = fraction != 0;
        term.isInfinite = fraction == 0;
    } else if (!format.hasInfinity && field == ones && fraction == (1u << format.fraction) - 1) {
        term.isNan = format.hasNan;
    }
    return term;
}

TensorTerm decodeTerm(Element element, std::uint32_t bits)
{
    // tf32 lies in the upper nineteen bits of its register.
    return decodeTerm(formatOf(element), element == Element::TF32 ? bits >> 13 : bits);
}

TensorRules tensorRules(int computeCapability)
{
    const int at = computeCapability == 0 ? 90 : computeCapability;
    if (at < 75)
        return {64, 0, 13};
    if (at < 80)
        return {64, 1, 13};
    if (at < 90)
        return {128, 1, 13};
    return {256, 2, at < 100 ? 13 : 25, at < 120};
}

float tensorSum(const TensorRules& rules, Element element, const TensorTerm* a, Element elementB, const TensorTerm* b,
                unsigned k, float c, bool half)
{
    const unsigned size = std::max(rules.groupBits / bitsOf(element), 1u);
    Group group;
    group.fractionA = formatOf(element).fraction;
    group.fractionB = formatOf(elementB).fraction;
    group.fraction = bitsOf(element) == 8 ? rules.byteFraction : 23 + rules.extraBits;
    group.half = half;
    for (unsigned done = 0; done < k; done += size)
        c = groupSum(group, a + done, b + done, std::min(size, k - done), c);
    return c;
}

void unpackBytes(Element element, TensorTerm* terms, unsigned k, bool sparse)
{
    const std::vector<TensorTerm> bytes(terms, terms + k);
    const unsigned run = sparse ? 4 : 2;
    for (unsigned i = 0; i < k; ++i) {
        TensorTerm& half = terms[(i / run % 2 != 0 ? k / 2 : 0) + i / (2 * run) * run + i % run];
        half = bytes[i];
        half.mantissa *= 1 << (kF16.fraction - formatOf(element).fraction);
        // A denormal of e4m3 is a normal half, whose exponent takes part in the alignment.
        for (; half.mantissa != 0 && std::abs(half.mantissa) >> kF16.fraction == 0 && half.exponent > -14;
             --half.exponent)
            half.mantissa *= 2;
    }
}

float unpackedSum(const TensorRules& rules, const TensorTerm* a, const TensorTerm* b, unsigned k, float c, bool half)
{
    const unsigned first = k / 2;
    float sum = tensorSum(rules, Element::F16, a, Element::F16, b, first, 0, half);
    sum = tensorSum(rules, Element::F16, a + first, Element::F16, b + first, k - first, sum, half);
    if (half) // a double holds the sum of two halves exactly
        return halfToSingle(halfNearest(double{c} + double{sum}));
    return std::isnan(c + sum) ? std::bit_cast<float>(kNanSingle) : c + sum;
}

void multiply(const TensorProduct& product)
{
    if (product.detail->a == Element::F64)
        multiplyDoubles(product);
    else if (multiplyLanes(product))
        return;
    else if (isRealElement(product.detail->a))
        multiplyReals(product);
    else
        multiplyIntegers(product);
}

} // namespace ridge::gpu::simt
