// SPDX-License-Identifier: GPL-3.0-or-later
// Products of matrices, sixteen sums at a time. tensor_math.cpp has the same rules one sum at a time.
#include "gpu/simt/run/tensor_lanes.h"

#include "gpu/simt/lanes/product_loops.h"
#include "gpu/simt/lanes/small_float.h"
#include "gpu/simt/run/float_format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

namespace ridge::gpu::simt {

namespace {

constexpr unsigned kEight = 8;                    ///< every matrix has a multiple of eight rows
constexpr int kNarrow = 48;                       ///< exponents up to here, of both signs
constexpr int kSingleBits = 23, kDoubleBits = 52; ///< of a fraction

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
    m_rowsAreLanes = m % kSumLanes == 0 || n % kSumLanes != 0;
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
    fit(a, detail.a, m, m_rowsAreLanes ? kSumLanes : kEight);
    fit(b, detail.b, n, m_rowsAreLanes ? kEight : kSumLanes);
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
    const FloatFormat& format = formatOf(side.element);
    const DecodedFloats found =
        loops.decodeFloats({format.fraction, format.exponent, format.hasInfinity, bitsOf(side.element), side.pack(),
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
    ProductGroup group;
    group.stride = lanes().stride;
    group.otherStride = others().stride;
    group.fraction = bitsOf(a.element) == 8 ? m_rules.byteFraction : kSingleBits + m_rules.extraBits;
    group.up = group.fraction - formatOf(a.element).fraction - formatOf(b.element).fraction;
    group.isNarrow = mine.isNarrow && other.isNarrow;
    group.half = m_half;
    GroupSums to;
    for (unsigned row = 0; row < others().outer; ++row) {
        for (unsigned first = 0; first < lanes().outer; first += kSumLanes) {
            std::uint32_t* const at = &sums[std::size_t{row} * lanes().stride + first];
            std::memcpy(to.sums, at, sizeof to.sums);
            const unsigned there = std::min(kSumLanes, lanes().outer - first);
            for (unsigned done = 0; done < m_k; done += size) {
                std::array<std::uint32_t, kSumLanes> before;
                std::memcpy(before.data(), to.sums, sizeof to.sums);
                const std::size_t from = done * group.stride + first, of = done * group.otherStride + row;
                group.values = &mine.values[from];
                group.mantissa = &mine.mantissa[from];
                group.exponent = &mine.exponent[from];
                group.otherValues = &other.values[of];
                group.otherMantissa = &other.mantissa[of];
                group.otherExponent = &other.exponent[of];
                group.count = std::min(size, m_k - done);
                loops.addGroup(group, to);
                for (unsigned lane = 0; lane < there && (to.isAmiss || m_half); ++lane) {
                    if (to.amiss[lane] != 0)
                        to.sums[lane] = std::bit_cast<std::uint32_t>(
                            oneGroup(first + lane, row, done, group.count, std::bit_cast<float>(before[lane])));
                    else if (m_half)
                        to.sums[lane] = std::bit_cast<std::uint32_t>(
                            roundedHalf(double{0} + to.first[lane] + to.products[lane], to.tops[lane], group.fraction));
                }
            }
            std::memcpy(at, to.sums, sizeof to.sums);
        }
    }
}

void TensorLanes::sumIntegers()
{
    const auto decodeSide = [this](const TensorSide& side, Decoded& to) {
        const std::size_t rows = side.words.size() / side.stride;
        to.mantissa.resize(rows * side.pack() * side.stride);
        loops.decodeIntegers({bitsOf(side.element), side.pack(),
                              side.element == Element::S8 || side.element == Element::S4, rows, side.stride,
                              side.words.data(), to.mantissa.data()});
    };
    decodeSide(a, m_decodedA);
    decodeSide(b, m_decodedB);
    const Decoded& mine = m_rowsAreLanes ? m_decodedA : m_decodedB;
    const Decoded& other = m_rowsAreLanes ? m_decodedB : m_decodedA;
    std::array<std::int32_t, kSumLanes> products;
    for (unsigned row = 0; row < others().outer; ++row) {
        for (unsigned first = 0; first < lanes().outer; first += kSumLanes) {
            loops.addIntegers({&mine.mantissa[first], lanes().stride, &other.mantissa[row], others().stride, m_k},
                              products.data());
            std::uint32_t* const at = &sums[std::size_t{row} * lanes().stride + first];
            for (unsigned lane = 0; lane < kSumLanes; ++lane) {
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
