// SPDX-License-Identifier: GPL-3.0-or-later
// More of CUDA's mathematical functions for clang: double precision, and single precision that follows from what math.h
// has. Largest errors in units of the last place (tests/labs/tst_kernel_files, tst_kernel_math, and thousands of points each against
// 200 bits): atan, asin, acos, sinh, cosh, tanh, expm1, hypot, asinf, acosf 4; log1p, cbrt 1.1; asinh, acosh, atanh 2; log1pf, asinhf,
// atanhf, acoshf 1; pow 18 where the exponent is in the thousands, else 2.
#pragma once

// ---- double precision -------------------------------------------------------------------------------------------------
RIDGE_FN bool isnan(double a) { return a != a; }
RIDGE_FN bool isinf(double a) { return fabs(a) == __builtin_huge_val(); }
RIDGE_FN bool isfinite(double a) { return fabs(a) < __builtin_huge_val(); }
RIDGE_FN bool signbit(double a) { return __builtin_bit_cast(long long, a) < 0; }
RIDGE_FN double copysign(double a, double b)
{
    return __builtin_bit_cast(double, (__builtin_bit_cast(unsigned long long, a) & 0x7fffffffffffffffull) |
                                          (__builtin_bit_cast(unsigned long long, b) & 0x8000000000000000ull));
}
RIDGE_FN double round(double a)
{
    const double whole = trunc(a);
    return fabs(a - whole) >= 0.5 ? whole + copysign(1.0, a) : copysign(whole, a);
}
RIDGE_FN double nearbyint(double a) { return rint(a); }
RIDGE_FN double fdim(double a, double b) { return a > b ? a - b : (a != a || b != b ? a + b : 0.0); }
RIDGE_FN double scalbn(double a, int n) { return ldexp(a, n); }
RIDGE_FN double modf(double a, double* whole)
{
    *whole = trunc(a);
    return isinf(a) ? copysign(0.0, a) : copysign(a - *whole, a);
}
RIDGE_FN double expm1(double x)
{
    if (fabs(x) < 0.25) {
        double sum = 1.0;
        for (int k = 14; k > 1; --k)
            sum = fma(sum, x / k, 1.0);
        return sum * x;
    }
    return exp(x) - 1.0;
}
RIDGE_FN double log1p(double x)
{
    if (x > -0.29 && x < 0.41)
        return x == 0.0 ? x : ridgeLogNear(x, 0.0);
    const double u = 1.0 + x;
    return u > 9e15 || !(u > 0.0) ? log(u) : log(u) + (x - (u - 1.0)) / u;
}
RIDGE_FN double sinh(double x)
{
    const double a = fabs(x);
    if (a > 30.0) {
        const double e = exp(0.5 * a);
        return copysign(0.5 * e * e, x);
    }
    const double e = expm1(a);
    return copysign(0.5 * (e + e / (e + 1.0)), x);
}
RIDGE_FN double cosh(double x)
{
    const double e = exp(0.5 * fabs(x));
    return fabs(x) > 30.0 ? 0.5 * e * e : 0.5 * (exp(x) + exp(-x));
}
RIDGE_FN double tanh(double x)
{
    const double t = expm1(-2.0 * fabs(x));
    return copysign(-t / (t + 2.0), x);
}
/// Two half angles, then the series.
RIDGE_FN double atan(double x)
{
    const bool large = fabs(x) > 1.0;
    double t = large ? 1.0 / fabs(x) : fabs(x);
    t = t / (1.0 + sqrt(fma(t, t, 1.0)));
    t = t / (1.0 + sqrt(fma(t, t, 1.0)));
    const double z = t * t;
    double p = 0.0;
    for (int k = 25; k > 1; k -= 2)
        p = fma(p, -z, 1.0 / k);
    const double angle = 4.0 * fma(-z * p, t, t);
    return copysign(large ? 1.5707963267948966 - (angle - 6.123233995736766e-17) : angle, x);
}
RIDGE_FN double atan2(double y, double x)
{
    if (isnan(x) || isnan(y))
        return x + y;
    if (x == 0.0 && y == 0.0)
        return copysign(signbit(x) ? 3.1415926535897931 : 0.0, y);
    if (isinf(x) && isinf(y))
        return copysign(x > 0.0 ? 0.7853981633974483 : 2.356194490192345, y);
    const double angle = x == 0.0 ? 1.5707963267948966 : atan(fabs(y / x));
    return copysign(signbit(x) ? 3.1415926535897931 - (angle - 1.2246467991473532e-16) : angle, y);
}
RIDGE_FN double asin(double x) { return atan2(x, sqrt((1.0 - x) * (1.0 + x))); }
RIDGE_FN double acos(double x) { return 2.0 * atan2(sqrt(1.0 - x), sqrt(1.0 + x)); }
RIDGE_FN double asinh(double x)
{
    const double a = fabs(x);
    return copysign(a > 1e150 ? log(a) + 0.6931471805599453 : log1p(a + a * a / (1.0 + sqrt(a * a + 1.0))), x);
}
RIDGE_FN double acosh(double x)
{
    if (x < 1.0)
        return __builtin_bit_cast(double, 0xfff8000000000000ull);
    return x > 1e150 ? log(x) + 0.6931471805599453 : log1p((x - 1.0) + sqrt((x - 1.0) * (x + 1.0)));
}
RIDGE_FN double atanh(double x)
{
    const double a = fabs(x), twice = a + a;
    return copysign(0.5 * log1p(a < 0.5 ? twice + twice * a / (1.0 - a) : twice / (1.0 - a)), x);
}
RIDGE_FN double cbrt(double a)
{
    if (a == 0.0 || !isfinite(a))
        return a;
    // 2^162 and its root: the cube below is to keep its bits.
    const bool small = fabs(a) < 1e-290;
    const double v = fabs(a) * (small ? 5.846006549323611e48 : 1.0);
    const double y = exp(log(v) / 3.0);
    const double root = y - (fma(y * y, y, -v)) / (3.0 * y * y);
    return copysign(small ? root * 5.551115123125783e-17 : root, a);
}
RIDGE_FN double rcbrt(double a) { return 1.0 / cbrt(a); }
RIDGE_FN double hypot(double a, double b)
{
    const double large = fmax(fabs(a), fabs(b)), small = fmin(fabs(a), fabs(b));
    if (isinf(large))
        return large;
    if (isnan(a) || isnan(b) || large == 0.0)
        return fabs(a) + fabs(b);
    const double ratio = small / large;
    return large * sqrt(fma(ratio, ratio, 1.0));
}
/// e^(high + low).
RIDGE_FN double ridgeExpPair(double high, double low)
{
    const double e = exp(high);
    return isinf(e) || e == 0.0 ? e : fma(e, low, e);
}
/// The logarithm of a positive, finite number as a sum of two.
RIDGE_FN double ridgeLogPair(double a, double* rest)
{
    int shift = 0;
    if (a < 2.2250738585072014e-308) {
        a *= 18014398509481984.0;
        shift = -54;
    }
    const long long bits = __builtin_bit_cast(long long, a);
    const long long e = (bits - 0x3fe6a09e667f3bcdll) >> 52;
    const double m = __builtin_bit_cast(double, bits - (e << 52));
    const double f = m - 1.0, d = m + 1.0, lost = m - (d - 1.0);
    const double s = f / d;
    const double missing = (fma(-s, d, f) - s * lost) / d;
    const double z = s * s;
    double p = 0.0;
    for (int k = 23; k > 1; k -= 2)
        p = fma(p, z, 2.0 / k);
    const double n = (double)(e + shift);
    const double whole = n * 6.93147180369123816490e-01, twice = 2.0 * s;
    const double sum = whole + twice, back = sum - whole;
    const double error = (whole - (sum - back)) + (twice - back);
    const double low = error + fma(s * z, p, fma(n, 1.90821492927058770002e-10, 2.0 * missing));
    const double high = sum + low;
    *rest = low - (high - sum);
    return high;
}
/// a^b of a positive, finite a.
RIDGE_FN double ridgePower(double a, double b)
{
    double tail;
    const double high = ridgeLogPair(a, &tail);
    const double product = __dmul_rn(b, high);
    if (fabs(product) > 800.0)
        return product > 0.0 ? __builtin_huge_val() : 0.0;
    return ridgeExpPair(product, fma(b, high, -product) + b * tail);
}
RIDGE_FN double pow(double a, double b)
{
    if (b == 0.0 || a == 1.0)
        return 1.0;
    if (isnan(a) || isnan(b))
        return a + b;
    if (isinf(b))
        return fabs(a) == 1.0 ? 1.0 : (fabs(a) > 1.0) == (b > 0.0) ? __builtin_huge_val() : 0.0;
    const bool whole = trunc(b) == b;
    const bool odd = whole && fabs(b) < 9007199254740992.0 && ((long long)b & 1) != 0;
    if (a == 0.0 || isinf(a))
        return copysign((a == 0.0) == (b < 0.0) ? __builtin_huge_val() : 0.0, odd ? a : 1.0);
    if (a < 0.0 && !whole)
        return __builtin_bit_cast(double, 0xfff8000000000000ull);
    const double magnitude = ridgePower(fabs(a), b);
    return a < 0.0 && odd ? -magnitude : magnitude;
}
RIDGE_FN double exp10(double x)
{
    const double high = x * 2.302585092994046;
    return ridgeExpPair(high, fma(x, 2.302585092994046, -high) + x * -2.1707562233822494e-16);
}
// ---- single precision -------------------------------------------------------------------------------------------------
RIDGE_FN float asinf(float x) { return atan2f(x, sqrtf((1.0f - x) * (1.0f + x))); }
RIDGE_FN float acosf(float x) { return 2.0f * atan2f(sqrtf(1.0f - x), sqrtf(1.0f + x)); }
RIDGE_FN float log1pf(float x) { return (float)log1p((double)x); }
RIDGE_FN float asinhf(float x) { return (float)asinh((double)x); }
RIDGE_FN float acoshf(float x) { return (float)acosh((double)x); }
RIDGE_FN float atanhf(float x) { return (float)atanh((double)x); }
RIDGE_FN float rcbrtf(float x) { return 1.0f / cbrtf(x); }
RIDGE_FN float norm3df(float a, float b, float c) { return (float)sqrt((double)a * a + (double)b * b + (double)c * c); }
RIDGE_FN float rhypotf(float a, float b)
{
    return isinf(a) || isinf(b) ? 0.0f : (float)(1.0 / sqrt((double)a * a + (double)b * b));
}
RIDGE_FN long long llrintf(float a) { return (long long)rintf(a); }
RIDGE_FN long long llrint(double a) { return (long long)rint(a); }
RIDGE_FN long lrintf(float a) { return (long)rintf(a); }
RIDGE_FN long lrint(double a) { return (long)rint(a); }
RIDGE_FN long lroundf(float a) { return (long)roundf(a); }
RIDGE_FN long lround(double a) { return (long)round(a); }

// ---- one instruction each -----------------------------------------------------------------------------------------------
#define RIDGE_CONVERT(name, to, from, intrinsic)                                                                       \
    RIDGE_FN to name(from a) { return intrinsic(a); }
RIDGE_CONVERT(__float2uint_rd, unsigned int, float, __nvvm_f2ui_rm)
RIDGE_CONVERT(__float2uint_ru, unsigned int, float, __nvvm_f2ui_rp)
RIDGE_CONVERT(__float2ll_rn, long long, float, __nvvm_f2ll_rn)
RIDGE_CONVERT(__float2ll_rz, long long, float, __nvvm_f2ll_rz)
RIDGE_CONVERT(__float2ull_rn, unsigned long long, float, __nvvm_f2ull_rn)
RIDGE_CONVERT(__float2ull_rz, unsigned long long, float, __nvvm_f2ull_rz)
RIDGE_CONVERT(__double2int_rz, int, double, __nvvm_d2i_rz)
RIDGE_CONVERT(__double2int_rd, int, double, __nvvm_d2i_rm)
RIDGE_CONVERT(__double2int_ru, int, double, __nvvm_d2i_rp)
RIDGE_CONVERT(__double2uint_rn, unsigned int, double, __nvvm_d2ui_rn)
RIDGE_CONVERT(__double2uint_rz, unsigned int, double, __nvvm_d2ui_rz)
RIDGE_CONVERT(__double2ll_rn, long long, double, __nvvm_d2ll_rn)
RIDGE_CONVERT(__double2ll_rz, long long, double, __nvvm_d2ll_rz)
RIDGE_CONVERT(__double2float_rn, float, double, __nvvm_d2f_rn)
RIDGE_CONVERT(__double2float_rz, float, double, __nvvm_d2f_rz)
RIDGE_CONVERT(__double2float_rd, float, double, __nvvm_d2f_rm)
RIDGE_CONVERT(__double2float_ru, float, double, __nvvm_d2f_rp)
RIDGE_CONVERT(__int2float_rd, float, int, __nvvm_i2f_rm)
RIDGE_CONVERT(__int2float_ru, float, int, __nvvm_i2f_rp)
RIDGE_CONVERT(__ll2float_rn, float, long long, __nvvm_ll2f_rn)
RIDGE_CONVERT(__ull2float_rn, float, unsigned long long, __nvvm_ull2f_rn)
RIDGE_CONVERT(__ll2double_rn, double, long long, __nvvm_ll2d_rn)
RIDGE_CONVERT(__ull2double_rn, double, unsigned long long, __nvvm_ull2d_rn)
RIDGE_CONVERT(__int2double_rn, double, int, __nvvm_i2d_rn)
RIDGE_CONVERT(__uint2double_rn, double, unsigned int, __nvvm_ui2d_rn)
RIDGE_CONVERT(__double2loint, int, double, __nvvm_d2i_lo)
RIDGE_CONVERT(__double2hiint, int, double, __nvvm_d2i_hi)
RIDGE_CONVERT(__dsqrt_rn, double, double, __nvvm_sqrt_rn_d)
RIDGE_CONVERT(__drcp_rn, double, double, __nvvm_rcp_rn_d)
RIDGE_FN double __hiloint2double(int high, int low) { return __nvvm_lohi_i2d(low, high); }
RIDGE_FN double __ddiv_rn(double a, double b) { return __nvvm_div_rn_d(a, b); }
RIDGE_FN double __fma_rn(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
#define RIDGE_ROUNDED(mode, form)                                                                                      \
    RIDGE_FN float __fadd_##mode(float a, float b) { return __nvvm_add_##form##_f(a, b); }                             \
    RIDGE_FN float __fsub_##mode(float a, float b) { return __nvvm_add_##form##_f(a, -b); }                            \
    RIDGE_FN float __fmul_##mode(float a, float b) { return __nvvm_mul_##form##_f(a, b); }                             \
    RIDGE_FN float __fdiv_##mode(float a, float b) { return __nvvm_div_##form##_f(a, b); }                             \
    RIDGE_FN float __fsqrt_##mode(float a) { return __nvvm_sqrt_##form##_f(a); }                                       \
    RIDGE_FN float __frcp_##mode(float a) { return __nvvm_rcp_##form##_f(a); }                                         \
    RIDGE_FN float __fmaf_##mode(float a, float b, float c) { return __nvvm_fma_##form##_f(a, b, c); }                 \
    RIDGE_FN double __dadd_##mode(double a, double b) { return __nvvm_add_##form##_d(a, b); }                          \
    RIDGE_FN double __dmul_##mode(double a, double b) { return __nvvm_mul_##form##_d(a, b); }                          \
    RIDGE_FN double __fma_##mode(double a, double b, double c) { return __nvvm_fma_##form##_d(a, b, c); }
RIDGE_ROUNDED(rz, rz)
RIDGE_ROUNDED(rd, rm)
RIDGE_ROUNDED(ru, rp)
RIDGE_FN void __sincosf(float x, float* s, float* c)
{
    *s = __sinf(x);
    *c = __cosf(x);
}
