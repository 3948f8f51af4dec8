// SPDX-License-Identifier: GPL-3.0-or-later
// Sines, cosines and tangents of doubles. Small arguments lose multiples of pi/2 in three parts (W. J. Cody and W. Waite, "Software
// Manual for the Elementary Functions", 1980), large ones by the bits of 2/pi (M. H. Payne and R. N. Hanek, "Radian reduction for
// trigonometric functions", SIGNUM Newsletter 18, 1983); both leave the rest as a sum of two. Largest errors in units of the last
// place, over the whole range and next to multiples of pi/2: sin, cos, tan, sinpi, cospi 0.7; sinpif, cospif 2.
#pragma once

/// The bits of 2/pi after the point, behind one word of zeros for arguments below 2^54.
static __device__ __attribute__((constant)) const unsigned long long ridgeTwoOverPi[20] = {
    0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull,
    0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull,
    0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull};

struct RidgeAngle {
    double high, low; ///< what is left, within pi/4
    int quadrant;
};
/// For |x| of 2^20 and more, finite.
RIDGE_FN RidgeAngle ridgeReduceLarge(double x)
{
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
    const unsigned long long mantissa = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
    // The first bit whose product with the mantissa is no multiple of 4.
    const int start = (int)(bits >> 52 & 0x7ff) - 1075 - 2 + 64;
    const int word = start >> 6, shift = start & 63;
    unsigned long long window[3];
    for (int i = 0; i < 3; ++i) {
        const unsigned long long next = ridgeTwoOverPi[word + i + 1] >> 1 >> (63 - shift);
        window[i] = ridgeTwoOverPi[word + i] << shift | next;
    }
    const unsigned long long last = mantissa * window[2];
    const unsigned long long carry = __nvvm_mulhi_ull(mantissa, window[2]);
    const unsigned long long middle = mantissa * window[1] + carry;
    const unsigned long long first = mantissa * window[0] + __nvvm_mulhi_ull(mantissa, window[1]) + (middle < carry);
    unsigned long long high = first << 2 | middle >> 62, low = middle << 2 | last >> 62;
    RidgeAngle a;
    a.quadrant = (int)(first >> 62);
    const bool beyond = (high >> 63) != 0;
    if (beyond) { // nearer to the next quadrant
        ++a.quadrant;
        low = 0 - low;
        high = ~high + (low == 0 ? 1 : 0);
    }
    int zeros = 0;
    if (high == 0) {
        high = low;
        low = 0;
        zeros = 64;
    }
    const int lead = high == 0 ? 0 : __builtin_clzll(high);
    high = high << lead | low >> 1 >> (63 - lead);
    low <<= lead;
    // 53 bits and what follows them, both scaled by what was shifted out.
    const double scale = __builtin_bit_cast(double, (unsigned long long)(1023 - 64 - zeros - lead) << 52);
    const double turn = (double)(high >> 11 << 11) * scale;
    const double rest = (double)(high << 53 | low >> 11) * (scale * 1.1102230246251565e-16);
    const double product = __dmul_rn(turn, 1.5707963267948966);
    const double tail = fma(turn, 1.5707963267948966, -product) + fma(turn, 6.123233995736766e-17, rest * 1.5707963267948966);
    const bool negative = beyond != (x < 0.0);
    const double sum = product + tail, lost = tail - (sum - product);
    a.high = negative ? -sum : sum;
    a.low = negative ? -lost : lost;
    a.quadrant = x < 0.0 ? -a.quadrant : a.quadrant;
    return a;
}
RIDGE_FN RidgeAngle ridgeReduceDouble(double x)
{
    if (fabs(x) >= 1048576.0)
        return ridgeReduceLarge(x);
    // Both products below are exact, and so is what the second subtraction loses.
    const double n = rint(x * 0.63661977236758134);
    const double first = fma(n, -1.5707963267341256, x);
    const double second = n * 6.077100506303966e-11;
    const double near = first - second, back = first - near;
    const double lost = (back - second) + (first - (near + back));
    const double low = fma(n, -2.0222662487959506e-21, lost);
    RidgeAngle a;
    a.high = near + low;
    a.low = low - (a.high - near);
    a.quadrant = (int)n;
    return a;
}

/// sin(high + low) - high, within pi/4.
RIDGE_FN double ridgeSineRest(double high, double low)
{
    const double z = high * high;
    double p = -7.586636882825159e-13;
    p = fma(p, z, 1.6058530596645953e-10);
    p = fma(p, z, -2.50521062259944e-8);
    p = fma(p, z, 2.755731921932058e-6);
    p = fma(p, z, -1.984126984126504e-4);
    p = fma(p, z, 8.333333333333331e-3);
    p = fma(p, z, -0.16666666666666666);
    return fma(p * z, high, fma(-0.5 * z, low, low));
}
/// cos(high + low) as a sum: the first part is returned.
RIDGE_FN double ridgeCosine(double high, double low, double* rest)
{
    const double z = high * high, lost = fma(high, high, -z);
    double p = 4.745838412531023e-14;
    p = fma(p, z, -1.1470460319209511e-11);
    p = fma(p, z, 2.0876755787492604e-9);
    p = fma(p, z, -2.755731922139249e-7);
    p = fma(p, z, 2.4801587301584632e-5);
    p = fma(p, z, -1.3888888888888887e-3);
    p = fma(p, z, 4.1666666666666664e-2);
    const double near = fma(-0.5, z, 1.0);
    *rest = fma(p * z, z, fma(-0.5, z, 1.0 - near)) - fma(high, low, 0.5 * lost);
    return near;
}
RIDGE_FN double ridgeSineOf(RidgeAngle a)
{
    double rest = 0.0;
    double v = 0.0;
    if ((a.quadrant & 1) != 0) {
        v = ridgeCosine(a.high, a.low, &rest);
        v += rest;
    } else {
        v = a.high + ridgeSineRest(a.high, a.low);
    }
    return (a.quadrant & 2) != 0 ? -v : v;
}
RIDGE_FN double ridgeNoAngle() { return __builtin_bit_cast(double, 0xfff8000000000000ull); }
RIDGE_FN double sin(double x)
{
    if (!(fabs(x) < __builtin_huge_val()))
        return ridgeNoAngle();
    return x == 0.0 ? x : ridgeSineOf(ridgeReduceDouble(x));
}
RIDGE_FN double cos(double x)
{
    if (!(fabs(x) < __builtin_huge_val()))
        return ridgeNoAngle();
    RidgeAngle a = ridgeReduceDouble(x);
    ++a.quadrant;
    return ridgeSineOf(a);
}
RIDGE_FN void sincos(double x, double* s, double* c)
{
    if (!(fabs(x) < __builtin_huge_val())) {
        *s = *c = ridgeNoAngle();
        return;
    }
    RidgeAngle a = ridgeReduceDouble(x);
    *s = x == 0.0 ? x : ridgeSineOf(a);
    ++a.quadrant;
    *c = ridgeSineOf(a);
}
RIDGE_FN double tan(double x)
{
    if (!(fabs(x) < __builtin_huge_val()))
        return ridgeNoAngle();
    if (x == 0.0)
        return x;
    const RidgeAngle a = ridgeReduceDouble(x);
    const double more = ridgeSineRest(a.high, a.low);
    const double sine = a.high + more, sineRest = more - (sine - a.high);
    double cosineRest;
    const double near = ridgeCosine(a.high, a.low, &cosineRest);
    const double cosine = near + cosineRest;
    cosineRest -= cosine - near;
    const bool turned = (a.quadrant & 1) != 0;
    const double top = turned ? -cosine : sine, bottom = turned ? sine : cosine;
    const double topRest = turned ? -cosineRest : sineRest, bottomRest = turned ? sineRest : cosineRest;
    // One step of Newton's takes in what both lack.
    const double quotient = top / bottom;
    return quotient + (fma(-quotient, bottom, top) + fma(-quotient, bottomRest, topRest)) / bottom;
}

/// sin and cos of pi x: the turns are taken off exactly, so that whole and half numbers give 0 and 1 themselves.
RIDGE_FN float ridgeTurns(float x, int* quadrant)
{
    const float n = rintf(2.0f * x);
    *quadrant = (int)(n - 4.0f * floorf(0.25f * n));
    return fmaf(n, -0.5f, x);
}
RIDGE_FN void sincospif(float x, float* s, float* c)
{
    if (!(fabsf(x) < 16777216.0f)) { // an even number, or none
        *s = isfinite(x) ? copysignf(0.0f, x) : __builtin_bit_cast(float, 0x7fffffff);
        *c = isfinite(x) ? 1.0f : *s;
        return;
    }
    int q = 0;
    const float r = ridgeTurns(x, &q);
    const float turn = r * 3.14159274f;
    const float rest = fmaf(r, 3.14159274f, -turn) + r * -8.74227766e-8f;
    const float sn = fmaf(rest, ridgeCosSmall(turn), ridgeSinSmall(turn));
    const float cs = fmaf(-rest, ridgeSinSmall(turn), ridgeCosSmall(turn));
    const float a = (q & 1) != 0 ? cs : sn, b = (q & 1) != 0 ? sn : cs;
    *s = (q & 2) != 0 ? 0.0f - a : a;
    *c = q == 1 || q == 2 ? 0.0f - b : b;
    if (x == truncf(x))
        *s = copysignf(0.0f, x);
}
RIDGE_FN float sinpif(float x)
{
    float s, c;
    sincospif(x, &s, &c);
    return s;
}
RIDGE_FN float cospif(float x)
{
    float s, c;
    sincospif(x, &s, &c);
    return c;
}
RIDGE_FN void sincospi(double x, double* s, double* c)
{
    const double zero = __builtin_bit_cast(double, __builtin_bit_cast(unsigned long long, x) & 0x8000000000000000ull);
    if (!(fabs(x) < 9007199254740992.0)) {
        const bool even = fabs(x) < __builtin_huge_val();
        *s = even ? zero : ridgeNoAngle();
        *c = even ? 1.0 : *s;
        return;
    }
    const double n = rint(2.0 * x), turn = fma(n, -0.5, x);
    RidgeAngle a;
    a.high = __dmul_rn(turn, 3.141592653589793);
    a.low = fma(turn, 3.141592653589793, -a.high) + turn * 1.2246467991473532e-16;
    a.quadrant = (int)(n - 4.0 * floor(0.25 * n));
    *s = x == trunc(x) ? zero : ridgeSineOf(a);
    ++a.quadrant;
    *c = ridgeSineOf(a) + 0.0;
}
RIDGE_FN double sinpi(double x)
{
    double s, c;
    sincospi(x, &s, &c);
    return s;
}
RIDGE_FN double cospi(double x)
{
    double s, c;
    sincospi(x, &s, &c);
    return c;
}
