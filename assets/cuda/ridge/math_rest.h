// SPDX-License-Identifier: GPL-3.0-or-later
// What is seldom called of CUDA's mathematical functions: norms, neighbours of a number, other names. Bessel functions are not there.
#pragma once

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

RIDGE_FN long long llroundf(float a) { return (long long)roundf(a); }
RIDGE_FN long long llround(double a) { return (long long)round(a); }
RIDGE_FN float scalblnf(float a, long n) { return ldexpf(a, n < -400 ? -400 : n > 400 ? 400 : (int)n); }
RIDGE_FN double scalbln(double a, long n) { return ldexp(a, n < -3000 ? -3000 : n > 3000 ? 3000 : (int)n); }
RIDGE_FN double fdivide(double a, double b) { return a / b; }
RIDGE_FN float __frsqrt_rn(float a) { return (float)(1.0 / sqrt((double)a)); }
