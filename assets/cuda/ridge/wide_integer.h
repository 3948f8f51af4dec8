// SPDX-License-Identifier: GPL-3.0-or-later
// Division of 128-bit integers: clang calls these by name. Included where a kernel has __int128.
#pragma once

RIDGE_FN unsigned __int128 ridgeDivide(unsigned __int128 a, unsigned __int128 b, unsigned __int128* rest)
{
    unsigned __int128 quotient = 0, left = 0;
    for (int i = 127; i >= 0; --i) {
        left = left << 1 | (a >> i & 1);
        const bool fits = left >= b;
        left = fits ? left - b : left;
        quotient = quotient << 1 | (fits ? 1 : 0);
    }
    *rest = left;
    return quotient;
}
extern "C" {
#define RIDGE_WIDE(type) __device__ __attribute__((used, noinline)) type
RIDGE_WIDE(unsigned __int128) __udivti3(unsigned __int128 a, unsigned __int128 b)
{
    unsigned __int128 rest;
    return ridgeDivide(a, b, &rest);
}
RIDGE_WIDE(unsigned __int128) __umodti3(unsigned __int128 a, unsigned __int128 b)
{
    unsigned __int128 rest;
    ridgeDivide(a, b, &rest);
    return rest;
}
RIDGE_WIDE(__int128) __divti3(__int128 a, __int128 b)
{
    unsigned __int128 rest;
    const unsigned __int128 q = ridgeDivide(a < 0 ? -(unsigned __int128)a : a, b < 0 ? -(unsigned __int128)b : b, &rest);
    return (a < 0) != (b < 0) ? -q : q;
}
RIDGE_WIDE(__int128) __modti3(__int128 a, __int128 b)
{
    unsigned __int128 rest;
    ridgeDivide(a < 0 ? -(unsigned __int128)a : a, b < 0 ? -(unsigned __int128)b : b, &rest);
    return a < 0 ? -rest : rest;
}
}
