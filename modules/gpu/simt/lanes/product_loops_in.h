// SPDX-License-Identifier: GPL-3.0-or-later
// Included once in each build of the lanes' loops, whose namespace is RIDGE_LANES.
#pragma once

#include "gpu/simt/lanes/product_loops.h"

#include <cstring>

namespace ridge::gpu::simt::RIDGE_LANES {

namespace {

constexpr unsigned kEight = 8;
constexpr int kSingleBias = 127, kSingleBits = 23; ///< of an f32

using Ints = std::int32_t __attribute__((vector_size(4 * kSumLanes)));
using Words = std::uint32_t __attribute__((vector_size(4 * kSumLanes)));
using Floats = float __attribute__((vector_size(4 * kSumLanes)));
using Ints8 = std::int32_t __attribute__((vector_size(4 * kEight)));
using Words8 = std::uint32_t __attribute__((vector_size(4 * kEight)));
using Floats8 = float __attribute__((vector_size(4 * kEight)));

DecodedFloats decodeFloats(const FloatDecoding& d)
{
    const std::int32_t ones = (1 << d.exponentBits) - 1, bias = ones >> 1, hidden = 1 << d.fraction;
    const std::int32_t notFinite = d.hasInfinity ? 0 : hidden - 1; // least fraction below a field of ones
    const Ints8 none{};
    Ints8 strange{}, lowest{}, highest{};
    for (std::size_t row = 0; row < d.rows; ++row) {
        for (unsigned part = 0; part < d.pack; ++part) {
            const std::size_t to = (row * d.pack + part) * d.stride;
            for (std::size_t at = 0; at < d.stride; at += kEight) {
                Words8 word;
                std::memcpy(&word, d.words + row * d.stride + at, sizeof word);
                word = word >> (part * d.bits + d.shift);
                const Ints8 field = reinterpret_cast<Ints8>(word >> d.fraction) & ones;
                const Ints8 fraction = reinterpret_cast<Ints8>(word) & (hidden - 1);
                const Ints8 magnitude = field == 0 ? fraction : fraction | hidden;
                const Ints8 negative = none - (reinterpret_cast<Ints8>(word >> (d.fraction + d.exponentBits)) & 1);
                const Ints8 mantissa = (magnitude ^ negative) - negative;
                const Ints8 power = (field > 0 ? field : field + 1) - bias;
                const Ints8 exponent = magnitude == 0 ? none + kZeroExponent : power;
                const Words8 scale = reinterpret_cast<Words8>(power - d.fraction + kSingleBias) << kSingleBits;
                const Floats8 value = __builtin_convertvector(mantissa, Floats8) * reinterpret_cast<Floats8>(scale);
                strange |= field != ones ? none : fraction >= notFinite ? none - 1 : none;
                const Ints8 low = magnitude == 0 ? none : power;
                lowest = low < lowest ? low : lowest;
                highest = power > highest ? power : highest;
                std::memcpy(d.values + to + at, &value, sizeof value);
                std::memcpy(d.mantissa + to + at, &mantissa, sizeof mantissa);
                std::memcpy(d.exponent + to + at, &exponent, sizeof exponent);
            }
        }
    }
    DecodedFloats found;
    for (unsigned lane = 0; lane < kEight; ++lane) {
        found.finite = found.finite && strange[lane] == 0;
        found.lowest = lowest[lane] < found.lowest ? lowest[lane] : found.lowest;
        found.highest = highest[lane] > found.highest ? highest[lane] : found.highest;
    }
    return found;
}

void addGroup(const ProductGroup& g, GroupSums& to)
{
    const Ints none{}, yes = none - 1;
    Words start;
    std::memcpy(&start, to.sums, sizeof start);
    const Ints field = reinterpret_cast<Ints>(start >> kSingleBits) & 255;
    Ints tops = (field > 0 ? field : field + 1) - kSingleBias;
    tops = start << 1 == 0 ? none + kZeroExponent : tops;
    for (unsigned i = 0; i < g.count; ++i) {
        Ints exponents;
        std::memcpy(&exponents, g.exponent + i * g.stride, sizeof exponents);
        exponents += g.otherExponent[i * g.otherStride];
        tops = exponents > tops ? exponents : tops;
    }
    // Cutting off what stands below the last place kept is cutting towards zero, as a conversion to an integer does.
    const Ints power = g.fraction - tops + kSingleBias;
    const Ints amissPower = power < 1 ? yes : power > 2 * kSingleBias ? yes : none;
    const Ints usable = amissPower == 0 ? power : none + kSingleBias;
    const Floats scale = reinterpret_cast<Floats>(reinterpret_cast<Words>(usable) << kSingleBits);
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
            const Ints left = below > 31 ? none : reinterpret_cast<Ints>(moved);
            products += (left ^ signs) - signs;
        }
    }
    const Ints sum = first + products; // 33 bits: the sign is that of both, or what came out
    const Ints negative = ((first & products) | ((first | products) & sum)) >> 31;
    const Ints magnitude = (sum ^ negative) - negative;
    const Floats nearest = __builtin_convertvector(magnitude, Floats);
    const Ints back = __builtin_convertvector(nearest, Ints);
    const Words cutOff = ~Words{} << (kSingleBits - (g.fraction < kSingleBits ? g.fraction : kSingleBits));
    const Words cut =
        reinterpret_cast<Words>(reinterpret_cast<Ints>(nearest) + (back > magnitude ? yes : none)) & cutOff;
    const Ints exponent = reinterpret_cast<Ints>(cut >> kSingleBits) + (tops - g.fraction);
    const Words moved = cut + (reinterpret_cast<Words>(tops - g.fraction) << kSingleBits);
    const Words signs = reinterpret_cast<Words>(negative) << 31;
    const Words result = cut == 0 ? Words{} : moved | signs;
    Ints amiss = tops > kZeroExponent / 2 ? amissPower : none; // a zero times anything stays far below
    amiss = field == 255 ? yes : amiss;
    if (!g.half) {
        constexpr std::uint32_t kMost = 0x7fffff7f; // more is made 2^31, or is that
        const Ints outside = exponent < 1 ? yes : exponent > 2 * kSingleBias ? yes : none;
        amiss |= cut == 0 ? none : outside;
        amiss = reinterpret_cast<Words>(magnitude) > kMost ? yes : amiss;
    } else {
        std::memcpy(to.first, &first, sizeof first);
        std::memcpy(to.products, &products, sizeof products);
        std::memcpy(to.tops, &tops, sizeof tops);
    }
    std::memcpy(to.sums, &result, sizeof result);
    std::memcpy(to.amiss, &amiss, sizeof amiss);
    std::uint64_t any = 0;
    for (unsigned at = 0; at < kSumLanes; at += 2) {
        std::uint64_t two = 0;
        std::memcpy(&two, &to.amiss[at], sizeof two);
        any |= two;
    }
    to.isAmiss = any != 0;
}

void decodeIntegers(const IntegerDecoding& d)
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
void addIntegers(const IntegerGroup& g, std::int32_t* to)
{
    Ints sum{};
    for (unsigned i = 0; i < g.count; ++i) {
        Ints values;
        std::memcpy(&values, g.lanes + i * g.stride, sizeof values);
        sum += values * g.other[i * g.otherStride];
    }
    std::memcpy(to, &sum, sizeof sum);
}

} // namespace

ProductLoops productLoops()
{
    return {&decodeFloats, &addGroup, &decodeIntegers, &addIntegers};
}

} // namespace ridge::gpu::simt::RIDGE_LANES
