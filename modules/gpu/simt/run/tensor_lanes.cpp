// SPDX-License-Identifier: GPL-3.0-or-later
// Products of matrices, sixteen sums at a time. tensor_math.cpp has the same rules one sum at a time.
#include "gpu/simt/run/tensor_lanes.h"

#include "gpu/simt/lanes/small_float.h"
#include "gpu/simt/run/float_format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

namespace ridge::gpu::simt {

namespace {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define RIDGE_TENSOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define RIDGE_TENSOR_CLONES
#endif

constexpr unsigned kLanes = 16;                    ///< sums side by side
constexpr unsigned kEight = 8;                     ///< of them; every matrix has a multiple of eight rows
constexpr std::int32_t kZeroExponent = -4096;      ///< of a zero: below every other
constexpr int kNarrow = 48;                        ///< exponents up to here, of both signs
constexpr int kSingleBias = 127, kSingleBits = 23; ///< of an f32
constexpr int kDoubleBits = 52;

using Ints = std::int32_t __attribute__((vector_size(4 * kLanes)));
using Words = std::uint32_t __attribute__((vector_size(4 * kLanes)));
using Floats = float __attribute__((vector_size(4 * kLanes)));
using Ints8 = std::int32_t __attribute__((vector_size(4 * kEight)));
using Words8 = std::uint32_t __attribute__((vector_size(4 * kEight)));
using Floats8 = float __attribute__((vector_size(4 * kEight)));
using Doubles8 = double __attribute__((vector_size(8 * kEight)));
using Longs8 = std::int64_t __attribute__((vector_size(8 * kEight)));

struct Decoding {
    FloatFormat format;
    unsigned bits = 16, pack = 2, shift = 0;
    std::size_t rows = 0; ///< of words
    std::size_t stride = 0;
    const std::uint32_t* words = nullptr;
    float* values = nullptr;
    std::int32_t* mantissa = nullptr;
    std::int32_t* exponent = nullptr;
};

struct Found {
    bool finite = true;
    std::int32_t lowest = 0, highest = 0; ///< exponents of what is not zero
};

RIDGE_TENSOR_CLONES Found decodeFloats(const Decoding& d)
{
    const std::int32_t ones = (1 << d.format.exponent) - 1, bias = ones >> 1, hidden = 1 << d.format.fraction;
    const std::int32_t notFinite = d.format.hasInfinity ? 0 : hidden - 1; // least fraction below a field of ones
    Ints8 strange{}, lowest{}, highest{};
    for (std::size_t row = 0; row < d.rows; ++row) {
        for (unsigned part = 0; part < d.pack; ++part) {
            const std::size_t to = (row * d.pack + part) * d.stride;
            for (std::size_t at = 0; at < d.stride; at += kEight) {
                Words8 word;
                std::memcpy(&word, d.words + row * d.stride + at, sizeof word);
                word = word >> (part * d.bits + d.shift);
                const Ints8 field = reinterpret_cast<Ints8>(word >> d.format.fraction) & ones;
                const Ints8 fraction = reinterpret_cast<Ints8>(word) & (hidden - 1);
                const Ints8 magnitude = field == 0 ? fraction : fraction | hidden;
                const Ints8 negative = -(reinterpret_cast<Ints8>(word >> (d.format.fraction + d.format.exponent)) & 1);
                const Ints8 mantissa = (magnitude ^ negative) - negative;
                const Ints8 power = (field > 0 ? field : field + 1) - bias;
                const Ints8 exponent = magnitude == 0 ? power * 0 + kZeroExponent : power;
                const Words8 scale = reinterpret_cast<Words8>(power - d.format.fraction + kSingleBias) << kSingleBits;
                const Floats8 value = __builtin_convertvector(mantissa, Floats8) * reinterpret_cast<Floats8>(scale);
                strange |= (field == ones) & (fraction >= notFinite);
                const Ints8 low = magnitude == 0 ? power * 0 : power;
                lowest = low < lowest ? low : lowest;
                highest = power > highest ? power : highest;
                std::memcpy(d.values + to + at, &value, sizeof value);
                std::memcpy(d.mantissa + to + at, &mantissa, sizeof mantissa);
                std::memcpy(d.exponent + to + at, &exponent, sizeof exponent);
            }
        }
    }
    Found found;
    for (unsigned lane = 0; lane < kEight; ++lane) {
        found.finite = found.finite && strange[lane] == 0;
        found.lowest = std::min(found.lowest, lowest[lane]);
        found.highest = std::max(found.highest, highest[lane]);
    }
    return found;
}

/// A group of products, added to sixteen accumulators.
struct Group {
    const float* values = nullptr; ///< of the lanes; exponents and mantissas in the same places
    const std::int32_t* mantissa = nullptr;
    const std::int32_t* exponent = nullptr;
    std::size_t stride = 0;
    const float* otherValues = nullptr; ///< of the one row or column that all lanes are multiplied by
    const std::int32_t* otherMantissa = nullptr;
    const std::int32_t* otherExponent = nullptr;
    std::size_t otherStride = 0;
    unsigned count = 0;
    int fraction = 25; ///< of aligned addends
    int up = 0;        ///< fraction bits of them that products do not have
    bool isNarrow = false;
    bool half = false; ///< `exact` is wanted, not `sums`
};

struct GroupSums {
    alignas(64) std::array<std::uint32_t, kLanes> sums; ///< f32
    alignas(64) std::array<std::int32_t, kLanes> amiss; ///< not 0: this lane has to be added up by itself
    alignas(64) std::array<std::int32_t, kLanes> tops;
    alignas(64) std::array<double, kLanes> exact; ///< sums in units of 2^(top - fraction)
    bool isAmiss = false;
};

/// `to.sums` holds the accumulators.
RIDGE_TENSOR_CLONES void addGroup(const Group& g, GroupSums& to)
{
    Words start;
    std::memcpy(&start, to.sums.data(), sizeof start);
    const Ints field = reinterpret_cast<Ints>(start >> kSingleBits) & 255;
    const Ints isZero = (start << 1) == 0;
    Ints tops = (field > 0 ? field : field + 1) - kSingleBias;
    tops = isZero ? tops * 0 + kZeroExponent : tops;
    for (unsigned i = 0; i < g.count; ++i) {
        Ints exponents;
        std::memcpy(&exponents, g.exponent + i * g.stride, sizeof exponents);
        exponents += g.otherExponent[i * g.otherStride];
        tops = exponents > tops ? exponents : tops;
    }
    // Cutting off what stands below the last place kept is cutting towards zero, as a conversion to an integer does.
    const Ints power = g.fraction - tops + kSingleBias;
    const Ints noPower = (power < 1) | (power > 2 * kSingleBias);
    const Floats scale =
        reinterpret_cast<Floats>(reinterpret_cast<Words>(noPower ? power * 0 + kSingleBias : power) << kSingleBits);
    const Ints first = __builtin_convertvector(reinterpret_cast<Floats>(start) * scale, Ints);
    Ints products{};
    if (g.isNarrow) {
        for (unsigned i = 0; i < g.count; ++i) {
            Floats values;
            std::memcpy(&values, g.values + i * g.stride, sizeof values);
            products += __builtin_convertvector(values * g.otherValues[i * g.otherStride] * scale, Ints);
        }
    } else {
        for (unsigned i = 0; i < g.count; ++i) {
            Ints exponents, mantissas;
            std::memcpy(&exponents, g.exponent + i * g.stride, sizeof exponents);
            std::memcpy(&mantissas, g.mantissa + i * g.stride, sizeof mantissas);
            const Ints product = mantissas * g.otherMantissa[i * g.otherStride];
            const Ints signs = product >> 31;
            const Words magnitudes = reinterpret_cast<Words>((product ^ signs) - signs) << g.up;
            const Ints below = tops - exponents - g.otherExponent[i * g.otherStride];
            const Words moved = magnitudes >> reinterpret_cast<Words>(below & 31);
            const Ints left = reinterpret_cast<Ints>(moved) & ~(below > 31);
            products += (left ^ signs) - signs;
        }
    }
    const int kept = std::min(g.fraction, kSingleBits);
    const std::int64_t mask = ~((std::int64_t{1} << (kDoubleBits - kept)) - 1);
    Words cut;
    for (unsigned part = 0; part < kLanes; part += kEight) {
        Ints8 a, b;
        std::memcpy(&a, reinterpret_cast<const std::int32_t*>(&first) + part, sizeof a);
        std::memcpy(&b, reinterpret_cast<const std::int32_t*>(&products) + part, sizeof b);
        const Doubles8 exact = __builtin_convertvector(a, Doubles8) + __builtin_convertvector(b, Doubles8);
        if (g.half)
            std::memcpy(to.exact.data() + part, &exact, sizeof exact);
        const Floats8 sum =
            __builtin_convertvector(reinterpret_cast<Doubles8>(reinterpret_cast<Longs8>(exact) & mask), Floats8);
        std::memcpy(reinterpret_cast<std::uint32_t*>(&cut) + part, &sum, sizeof sum);
    }
    const Ints nothing = cut == 0;
    const Ints exponent = reinterpret_cast<Ints>(cut >> kSingleBits & 255) + (tops - g.fraction);
    const Ints outside = (exponent < 1) | (exponent > 2 * kSingleBias);
    const Words moved = cut + (reinterpret_cast<Words>(tops - g.fraction) << kSingleBits);
    const Words result = nothing ? cut : moved;
    Ints amiss = (field == 255) | (noPower & (tops > kZeroExponent));
    amiss |= g.half ? amiss : outside & ~nothing;
    std::memcpy(to.sums.data(), &result, sizeof result);
    std::memcpy(to.amiss.data(), &amiss, sizeof amiss);
    std::memcpy(to.tops.data(), &tops, sizeof tops);
    std::int32_t any = 0;
    for (const std::int32_t each : to.amiss)
        any |= each;
    to.isAmiss = any != 0;
}

struct IntegerDecoding {
    unsigned bits = 8, pack = 4;
    bool isSigned = true;
    std::size_t rows = 0, stride = 0;
    const std::uint32_t* words = nullptr;
    std::int32_t* values = nullptr;
};

RIDGE_TENSOR_CLONES void decodeIntegers(const IntegerDecoding& d)
{
    const std::uint32_t ones = (1u << d.bits) - 1, sign = d.isSigned ? 1u << (d.bits - 1) : 0;
    for (std::size_t row = 0; row < d.rows; ++row) {
        for (unsigned part = 0; part < d.pack; ++part) {
            for (std::size_t at = 0; at < d.stride; at += kEight) {
                Words8 word;
                std::memcpy(&word, d.words + row * d.stride + at, sizeof word);
                const Words8 value = ((word >> (part * d.bits) & ones) ^ sign) - sign;
                std::memcpy(d.values + (row * d.pack + part) * d.stride + at, &value, sizeof value);
            }
        }
    }
}

/// Sums of products that 32 bits hold.
RIDGE_TENSOR_CLONES void addIntegers(const std::int32_t* lanes, std::size_t stride, const std::int32_t* other,
                                     std::size_t otherStride, unsigned count, std::int32_t* to)
{
    Ints sum{};
    for (unsigned i = 0; i < count; ++i) {
        Ints values;
        std::memcpy(&values, lanes + i * stride, sizeof values);
        sum += values * other[i * otherStride];
    }
    std::memcpy(to, &sum, sizeof sum);
}

bool isFloat(Element element)
{
    return element == Element::F16 || element == Element::BF16 || element == Element::TF32 ||
           element == Element::E4M3 || element == Element::E5M2;
}

bool isInteger(Element element)
{
    return element == Element::S8 || element == Element::U8 || element == Element::S4 || element == Element::U4;
}

int fractionOf(const MatrixDetail& detail, const TensorRules& rules)
{
    return bitsOf(detail.a) == 8 ? rules.byteFraction : kSingleBits + rules.extraBits;
}

unsigned groupSize(Element element, const TensorRules& rules, unsigned k)
{
    return std::min(std::max(rules.groupBits / bitsOf(element), 1u), k);
}

/// What is counted in units of 2^(top - fraction), rounded to an f16.
float roundedHalf(double units, int top, int fraction)
{
    if (units == 0)
        return 0.0f;
    constexpr int kDoubleBias = 1023;
    const auto power = static_cast<std::uint64_t>(top - fraction + kDoubleBias) << kDoubleBits;
    return halfToSingle(halfNearest(units * std::bit_cast<double>(power)));
}

} // namespace

std::uint32_t TensorSide::bitsAt(unsigned row, unsigned k) const
{
    const unsigned bits = bitsOf(element);
    const std::uint32_t word = words[std::size_t{k / pack()} * stride + row];
    return bits == 32 ? word : word >> (k % pack() * bits) & ((1u << bits) - 1);
}

bool TensorLanes::takes(const MatrixDetail& detail, const TensorRules& rules)
{
    if (isInteger(detail.a) && isInteger(detail.b))
        return bitsOf(detail.a) == bitsOf(detail.b);
    if (!isFloat(detail.a) || !isFloat(detail.b) || bitsOf(detail.a) != bitsOf(detail.b))
        return false;
    if (rules.unpacksBytes && bitsOf(detail.a) == 8 && detail.descriptorB == kNone)
        return false;
    const int has = formatOf(detail.a).fraction + formatOf(detail.b).fraction, fraction = fractionOf(detail, rules);
    const double largest =
        static_cast<double>(std::int64_t{1} << (fraction + 2)) * groupSize(detail.a, rules, UINT32_MAX);
    return fraction >= has && largest <= 2147483648.0;
}

TensorLanes& TensorLanes::ofThisThread()
{
    thread_local TensorLanes lanes;
    return lanes;
}

void TensorLanes::prepare(const MatrixDetail& detail, unsigned m, unsigned n, unsigned k, const TensorRules& rules)
{
    m_rowsAreLanes = m % kLanes == 0 || n % kLanes != 0;
    m_half = detail.d == Element::F16;
    m_saturates = detail.saturate;
    m_k = k;
    m_rules = rules;
    const auto fit = [&](TensorSide& side, Element element, unsigned outer, unsigned step) {
        side.element = element;
        side.outer = outer;
        side.stride = (outer + step - 1) / step * step;
        side.words.resize(std::size_t{(k + side.pack() - 1) / side.pack()} * side.stride);
        if (side.stride != outer || k % side.pack() != 0)
            std::fill(side.words.begin(), side.words.end(), 0);
    };
    fit(a, detail.a, m, m_rowsAreLanes ? kLanes : kEight);
    fit(b, detail.b, n, m_rowsAreLanes ? kEight : kLanes);
    sums.resize(m_rowsAreLanes ? std::size_t{n} * a.stride : std::size_t{m} * b.stride);
    if (lanes().stride != lanes().outer)
        std::fill(sums.begin(), sums.end(), 0);
}

bool TensorLanes::decode(const TensorSide& side, Decoded& to) const
{
    const std::size_t rows = side.words.size() / side.stride;
    const std::size_t all = rows * side.pack() * side.stride;
    to.values.resize(all);
    to.mantissa.resize(all);
    to.exponent.resize(all);
    const Found found = decodeFloats({formatOf(side.element), bitsOf(side.element), side.pack(),
                                      side.element == Element::TF32 ? 13u : 0u, rows, side.stride, side.words.data(),
                                      to.values.data(), to.mantissa.data(), to.exponent.data()});
    to.isNarrow = found.lowest >= -kNarrow && found.highest <= kNarrow;
    return found.finite;
}

float TensorLanes::oneGroup(unsigned lane, unsigned other, unsigned from, unsigned count, float c) const
{
    std::vector<TensorTerm> left, right;
    for (unsigned i = from; i < from + count; ++i) {
        left.push_back(decodeTerm(lanes().element, lanes().bitsAt(lane, i)));
        right.push_back(decodeTerm(others().element, others().bitsAt(other, i)));
    }
    return tensorSum(m_rules, lanes().element, left.data(), others().element, right.data(), count, c, m_half);
}

void TensorLanes::sumReals()
{
    const Decoded& mine = m_rowsAreLanes ? m_decodedA : m_decodedB;
    const Decoded& other = m_rowsAreLanes ? m_decodedB : m_decodedA;
    const unsigned size = groupSize(a.element, m_rules, m_k);
    Group group;
    group.stride = lanes().stride;
    group.otherStride = others().stride;
    group.fraction = bitsOf(a.element) == 8 ? m_rules.byteFraction : kSingleBits + m_rules.extraBits;
    group.up = group.fraction - formatOf(a.element).fraction - formatOf(b.element).fraction;
    group.isNarrow = mine.isNarrow && other.isNarrow;
    group.half = m_half;
    GroupSums to;
    for (unsigned row = 0; row < others().outer; ++row) {
        for (unsigned first = 0; first < lanes().outer; first += kLanes) {
            std::uint32_t* const at = &sums[std::size_t{row} * lanes().stride + first];
            std::memcpy(to.sums.data(), at, sizeof to.sums);
            const unsigned there = std::min(kLanes, lanes().outer - first);
            for (unsigned done = 0; done < m_k; done += size) {
                const std::array<std::uint32_t, kLanes> before = to.sums;
                const std::size_t from = done * group.stride + first, of = done * group.otherStride + row;
                group.values = &mine.values[from];
                group.mantissa = &mine.mantissa[from];
                group.exponent = &mine.exponent[from];
                group.otherValues = &other.values[of];
                group.otherMantissa = &other.mantissa[of];
                group.otherExponent = &other.exponent[of];
                group.count = std::min(size, m_k - done);
                addGroup(group, to);
                for (unsigned lane = 0; lane < there && (to.isAmiss || m_half); ++lane) {
                    if (to.amiss[lane] != 0)
                        to.sums[lane] = std::bit_cast<std::uint32_t>(
                            oneGroup(first + lane, row, done, group.count, std::bit_cast<float>(before[lane])));
                    else if (m_half)
                        to.sums[lane] =
                            std::bit_cast<std::uint32_t>(roundedHalf(to.exact[lane], to.tops[lane], group.fraction));
                }
            }
            std::memcpy(at, to.sums.data(), sizeof to.sums);
        }
    }
}

void TensorLanes::sumIntegers()
{
    const auto decode = [](const TensorSide& side, Decoded& to) {
        const std::size_t rows = side.words.size() / side.stride;
        to.mantissa.resize(rows * side.pack() * side.stride);
        decodeIntegers({bitsOf(side.element), side.pack(), side.element == Element::S8 || side.element == Element::S4,
                        rows, side.stride, side.words.data(), to.mantissa.data()});
    };
    decode(a, m_decodedA);
    decode(b, m_decodedB);
    const Decoded& mine = m_rowsAreLanes ? m_decodedA : m_decodedB;
    const Decoded& other = m_rowsAreLanes ? m_decodedB : m_decodedA;
    std::array<std::int32_t, kLanes> products;
    for (unsigned row = 0; row < others().outer; ++row) {
        for (unsigned first = 0; first < lanes().outer; first += kLanes) {
            addIntegers(&mine.mantissa[first], lanes().stride, &other.mantissa[row], others().stride, m_k,
                        products.data());
            std::uint32_t* const at = &sums[std::size_t{row} * lanes().stride + first];
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                const std::int64_t sum = std::int64_t{static_cast<std::int32_t>(at[lane])} + products[lane];
                at[lane] = static_cast<std::uint32_t>(
                    m_saturates ? std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                                           std::numeric_limits<std::int32_t>::max())
                                : sum);
            }
        }
    }
}

bool TensorLanes::multiply()
{
    if (isInteger(a.element)) {
        sumIntegers();
        return true;
    }
    if (!decode(a, m_decodedA) || !decode(b, m_decodedB))
        return false;
    sumReals();
    return true;
}

} // namespace ridge::gpu::simt
