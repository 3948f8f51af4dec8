// SPDX-License-Identifier: GPL-3.0-or-later
// What is seldom called of CUDA's mathematical functions: turns of pi, inverses of the error function, norms, neighbours of a
// number, quotients with their last bits. The inverses are Winitzki's closed form ("A handy approximation for the error function
// and its inverse", 2008) and three steps of Halley's method on our erfc: as exact as that is (math_more.h). Bessel
// functions are not there.
#pragma once

/// sin and cos of pi x: the turns are taken off exactly, so that whole and half numbers give 0 and 1 themselves.
RIDGE_FN float ridgeTurns(float x, int* quadrant)
{
    const float n = rintf(2.0f * x);
    *quadrant = (int)(n - 4.0f * floorf(0.25f * n));
    return fmaf(n, -0.5f, x);
}
RIDGE_FN void sincospif(float x, float* s, float* c)
{
    if (!isfinite(x)) {
        *s = *c = __builtin_bit_cast(float, 0x7fffffff);
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
    const double n = rint(2.0 * x);
    const double r = fma(n, -0.5, x) * 3.1415926535897931;
    const int q = (int)(n - 4.0 * floor(0.25 * n));
    const double sn = sin(r), cs = cos(r);
    const double a = (q & 1) != 0 ? cs : sn, b = (q & 1) != 0 ? sn : cs;
    *s = x == trunc(x) ? copysign(0.0, x) : (q & 2) != 0 ? -a : a;
    *c = q == 1 || q == 2 ? 0.0 - b : b;
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

RIDGE_FN float erfcf(float x) { return (float)erfc((double)x); }
RIDGE_FN double erfcx(double x) { return x < 26.0 ? exp(x * x) * erfc(x) : 0.56418958354775629 / (x + 0.5 / x); }
RIDGE_FN double erfcinv(double y)
{
    if (!(y > 0.0 && y < 2.0))
        return y == 0.0 ? __builtin_huge_val() : y == 2.0 ? -__builtin_huge_val() : __builtin_nan("");
    const bool turned = y > 1.0;
    const double tail = turned ? 2.0 - y : y;
    const double l = log(tail * (2.0 - tail));
    const double t = 4.3307467508 + 0.5 * l;
    double x = sqrt(fmax(sqrt(fmax(t * t - l * 6.8027210884, 0.0)) - t, 0.0));
    for (int step = 0; step < 3; ++step) {
        const double off = (erfc(x) - tail) * exp(x * x) * 0.88622692545275801;
        x += off / (1.0 + x * off);
    }
    return turned ? -x : x;
}
RIDGE_FN double erfinv(double y)
{
    if (fabs(y) > 0.5)
        return y > 0.0 ? erfcinv(1.0 - y) : -erfcinv(1.0 + y);
    double x = 0.88622692545275801 * y * (1.0 + 0.26179938779914944 * y * y);
    for (int step = 0; step < 3; ++step) {
        const double off = (erf(x) - y) * exp(x * x) * 0.88622692545275801;
        x -= off / (1.0 + x * off);
    }
    return y != y ? y : x;
}
RIDGE_FN double normcdfinv(double p) { return -1.4142135623730951 * erfcinv(2.0 * p); }
RIDGE_FN float erfcxf(float x) { return (float)erfcx((double)x); }
RIDGE_FN float erfinvf(float x) { return (float)erfinv((double)x); }
RIDGE_FN float erfcinvf(float x) { return (float)erfcinv((double)x); }
RIDGE_FN float normcdfinvf(float x) { return (float)normcdfinv((double)x); }

RIDGE_FN float nanf(const char*) { return __builtin_nanf(""); }
RIDGE_FN double nan(const char*) { return __builtin_nan(""); }
RIDGE_FN float nextafterf(float a, float b)
{
    if (a != a || b != b)
        return a + b;
    if (a == b)
        return b;
    if (a == 0.0f)
        return copysignf(__builtin_bit_cast(float, 1), b);
    return __builtin_bit_cast(float, __builtin_bit_cast(int, a) + ((a < b) == (a > 0.0f) ? 1 : -1));
}
RIDGE_FN double nextafter(double a, double b)
{
    if (a != a || b != b)
        return a + b;
    if (a == b)
        return b;
    if (a == 0.0)
        return copysign(__builtin_bit_cast(double, 1ll), b);
    return __builtin_bit_cast(double, __builtin_bit_cast(long long, a) + ((a < b) == (a > 0.0) ? 1ll : -1ll));
}
RIDGE_FN float nextafter(float a, float b) { return nextafterf(a, b); }

RIDGE_FN double rhypot(double a, double b) { return 1.0 / hypot(a, b); }
RIDGE_FN double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
RIDGE_FN double norm4d(double a, double b, double c, double d) { return hypot(hypot(a, b), hypot(c, d)); }
RIDGE_FN double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
RIDGE_FN double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
RIDGE_FN double norm(int count, const double* v)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
        sum = hypot(sum, v[i]);
    return sum;
}
RIDGE_FN double rnorm(int count, const double* v) { return 1.0 / norm(count, v); }
RIDGE_FN float norm4df(float a, float b, float c, float d) { return (float)norm4d(a, b, c, d); }
RIDGE_FN float rnorm3df(float a, float b, float c) { return (float)rnorm3d(a, b, c); }
RIDGE_FN float rnorm4df(float a, float b, float c, float d) { return (float)rnorm4d(a, b, c, d); }
RIDGE_FN float normf(int count, const float* v)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
        sum += (double)v[i] * v[i];
    return (float)sqrt(sum);
}
RIDGE_FN float rnormf(int count, const float* v) { return 1.0f / normf(count, v); }

RIDGE_FN double remquo(double a, double b, int* quotient)
{
    const double rest = remainder(a, b);
    const double times = rint((a - rest) / b);
    const double low = times - 8.0 * trunc(times * 0.125);
    *quotient = (int)low;
    return rest;
}
RIDGE_FN float remquof(float a, float b, int* quotient) { return (float)remquo((double)a, (double)b, quotient); }
RIDGE_FN long long llroundf(float a) { return (long long)roundf(a); }
RIDGE_FN long long llround(double a) { return (long long)round(a); }
RIDGE_FN float scalblnf(float a, long n) { return ldexpf(a, n < -400 ? -400 : n > 400 ? 400 : (int)n); }
RIDGE_FN double scalbln(double a, long n) { return ldexp(a, n < -3000 ? -3000 : n > 3000 ? 3000 : (int)n); }
RIDGE_FN double fdivide(double a, double b) { return a / b; }
RIDGE_FN float __frsqrt_rn(float a) { return (float)(1.0 / sqrt((double)a)); }
