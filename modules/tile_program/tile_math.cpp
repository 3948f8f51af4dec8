// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_program/tile_math.h"

#include <bit>
#include <cmath>
#include <limits>

namespace ridge::tile {
namespace {

/// 2^n for -126 <= n <= 127.
float powerOfTwo(int n)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(n + 127) << 23);
}

} // namespace

float tileExp(float x)
{
    if (std::isnan(x))
        return x;
    if (x > 89.0f)
        return std::numeric_limits<float>::infinity();
    if (x < -104.0f)
        return 0.0f;
    const float n = std::rint(x * 1.44269504f);
    float r = std::fma(n, -0.693359375f, x); // ln 2 in two parts: the first product is exact
    r = std::fma(n, 2.12194440e-4f, r);
    float p = 1.0f / 5040.0f;
    p = std::fma(p, r, 1.0f / 720.0f);
    p = std::fma(p, r, 1.0f / 120.0f);
    p = std::fma(p, r, 1.0f / 24.0f);
    p = std::fma(p, r, 1.0f / 6.0f);
    p = std::fma(p, r, 0.5f);
    p = std::fma(p, r, 1.0f);
    p = std::fma(p, r, 1.0f);
    const int whole = static_cast<int>(n), half = whole / 2; // in two steps: 2^128 and 2^-150 are no floats
    return p * powerOfTwo(half) * powerOfTwo(whole - half);
}

float tileLarger(float a, float b)
{
    if (std::isnan(a))
        return b;
    if (std::isnan(b))
        return a;
    if (a == b)
        return std::signbit(a) ? b : a;
    return a > b ? a : b;
}

float tileSmaller(float a, float b)
{
    if (std::isnan(a))
        return b;
    if (std::isnan(b))
        return a;
    if (a == b)
        return std::signbit(a) ? a : b;
    return a < b ? a : b;
}

std::int32_t tileToInt(float x)
{
    if (std::isnan(x))
        return 0;
    if (x >= 2147483648.0f)
        return std::numeric_limits<std::int32_t>::max();
    if (x <= -2147483648.0f)
        return std::numeric_limits<std::int32_t>::min();
    return static_cast<std::int32_t>(x);
}

} // namespace ridge::tile
