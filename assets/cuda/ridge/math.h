// SPDX-License-Identifier: GPL-3.0-or-later
// Mathematical functions for clang without CUDA's libdevice: our own, so that last bits differ from nvcc's. Largest errors in
// units of the last place, found by tests/gpu/simt/tst_simt_header over samples of the whole range: expf, exp2f, logf,
// log2f, log10f, sinf, cosf, atanf 2; tanf 3; tanhf, erff 4; powf, cbrtf, expm1f, sinhf, coshf 1; exp, log (double) 1.1, rsqrt 1.5.
// Polynomials are Chebyshev interpolations of the functions they stand for.
#pragma once

// ---- single precision -------------------------------------------------------------------------------------------------
RIDGE_FN float truncf(float a) { return __nvvm_trunc_f(a); }
/// To nearest even, for which clang has no intrinsic.
RIDGE_FN float rintf(float a)
{
    float r;
    asm("cvt.rni.f32.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}
RIDGE_FN double rint(double a)
{
    double r;
    asm("cvt.rni.f64.f64 %0, %1;" : "=d"(r) : "d"(a));
    return r;
}
RIDGE_FN float nearbyintf(float a) { return rintf(a); }
RIDGE_FN float copysignf(float a, float b)
{
    return __builtin_bit_cast(float, (__builtin_bit_cast(unsigned int, a) & 0x7fffffffu) |
                                         (__builtin_bit_cast(unsigned int, b) & 0x80000000u));
}
RIDGE_FN float roundf(float a)
{
    const float whole = truncf(a);
    return fabsf(a - whole) >= 0.5f ? whole + copysignf(1.0f, a) : copysignf(whole, a);
}
RIDGE_FN bool isnan(float a) { return a != a; }
RIDGE_FN bool isinf(float a) { return fabsf(a) == __builtin_huge_valf(); }
RIDGE_FN bool isfinite(float a) { return fabsf(a) < __builtin_huge_valf(); }
RIDGE_FN bool signbit(float a) { return (__builtin_bit_cast(unsigned int, a) >> 31) != 0; }
RIDGE_FN float fdividef(float a, float b) { return a / b; }
RIDGE_FN float fdimf(float a, float b) { return a > b ? a - b : (a != a || b != b ? a + b : 0.0f); }

/// a * 2^n in two steps, so that neither overflows before its time.
RIDGE_FN float ldexpf(float a, int n)
{
    n = n < -300 ? -300 : n > 300 ? 300 : n;
    const int first = n / 2, second = n - first;
    const int third = second / 2;
    a *= __builtin_bit_cast(float, (first + 127 < 1 ? 1 : first + 127 > 254 ? 254 : first + 127) << 23);
    a *= __builtin_bit_cast(float, (second - third + 127) << 23);
    a *= __builtin_bit_cast(float, (third + 127) << 23);
    const int clamped = first + 127 < 1 ? first + 126 : first + 127 > 254 ? first - 127 : 0;
    return clamped == 0 ? a : a * __builtin_bit_cast(float, (clamped + 127) << 23);
}
RIDGE_FN float scalbnf(float a, int n) { return ldexpf(a, n); }

/// e^r - 1 for |r| < 0.347.
RIDGE_FN float ridgeExpSmall(float r)
{
    float p = fmaf(1.3926181810489343e-3f, r, 8.363177629994445e-3f);
    p = fmaf(p, r, 4.1666554627878084e-2f);
    p = fmaf(p, r, 0.16666576998242924f);
    p = fmaf(p, r, 0.5f);
    return fmaf(p, r * r, r);
}
RIDGE_FN float expf(float x)
{
    if (x > 88.8f)
        return x != x ? x : __builtin_huge_valf();
    if (x < -104.0f)
        return 0.0f;
    const float n = rintf(x * 1.44269504f);
    float r = fmaf(n, -0.693359375f, x);
    r = fmaf(n, 2.12194440e-4f, r);
    return ldexpf(ridgeExpSmall(r) + 1.0f, (int)n);
}
RIDGE_FN float exp2f(float x)
{
    if (x > 128.0f)
        return x != x ? x : __builtin_huge_valf();
    if (x < -150.0f)
        return 0.0f;
    const float n = rintf(x);
    return ldexpf(ridgeExpSmall((x - n) * 0.69314718f) + 1.0f, (int)n);
}
RIDGE_FN float exp10f(float x);

struct RidgeLog {
    float mantissa; ///< natural logarithm of the mantissa, which lies around one
    float exponent;
};
RIDGE_FN RidgeLog ridgeLog(float x)
{
    RidgeLog result;
    int shift = 0;
    if (x < 1.17549435e-38f) {
        x *= 8388608.0f;
        shift = -23;
    }
    const int bits = __builtin_bit_cast(int, x);
    const int e = (bits - 0x3f3504f3) >> 23;
    const float f = __builtin_bit_cast(float, bits - (e << 23)) - 1.0f;
    float p = fmaf(-6.2015001190183286e-2f, f, 0.10530864738938342f);
    p = fmaf(p, f, -0.10646191638199634f);
    p = fmaf(p, f, 0.11037783359055021f);
    p = fmaf(p, f, -0.12450743320911725f);
    p = fmaf(p, f, 0.14286524547786641f);
    p = fmaf(p, f, -0.16668001523071926f);
    p = fmaf(p, f, 0.20000010039684973f);
    p = fmaf(p, f, -0.24999990275042186f);
    p = fmaf(p, f, 0.33333333281199246f);
    result.mantissa = fmaf(p * f, f * f, fmaf(-0.5f * f, f, f));
    result.exponent = (float)(e + shift);
    return result;
}
#define RIDGE_LOG_SPECIAL(x)                                                                                           \
    if (!(x > 0.0f))                                                                                                   \
        return x == 0.0f ? -__builtin_huge_valf() : __builtin_bit_cast(float, 0x7fffffff);                            \
    if (x == __builtin_huge_valf())                                                                                    \
        return x
RIDGE_FN float logf(float x)
{
    RIDGE_LOG_SPECIAL(x);
    const RidgeLog l = ridgeLog(x);
    return fmaf(l.exponent, 0.693359375f, fmaf(l.exponent, -2.12194440e-4f, l.mantissa));
}
RIDGE_FN float log2f(float x)
{
    RIDGE_LOG_SPECIAL(x);
    const RidgeLog l = ridgeLog(x);
    return l.exponent + fmaf(l.mantissa, 0.44269504f, l.mantissa);
}
RIDGE_FN float log10f(float x)
{
    RIDGE_LOG_SPECIAL(x);
    const RidgeLog l = ridgeLog(x);
    return fmaf(l.exponent, 0.30102539f, fmaf(l.exponent, 4.6050390e-6f, l.mantissa * 0.43429448f));
}

/// x - n * pi/2 with n's last two bits in `quadrant`.
RIDGE_FN float ridgeReduce(float x, int* quadrant)
{
    const float magnitude = fabsf(x);
    if (magnitude <= 12000.0f) {
        const float n = rintf(x * 0.636619772f);
        float r = fmaf(n, -1.5703125f, x);
        r = fmaf(n, -4.837512969970703e-4f, r);
        r = fmaf(n, -7.549789415861596e-8f, r);
        r = fmaf(n, -5.390302858158119e-15f, r);
        *quadrant = (int)n;
        return r;
    }
    if (magnitude <= 33554432.0f) {
        const double n = rint(x * 0.63661977236758134);
        double r = __nvvm_fma_rn_d(n, -1.5707963267341256, x);
        r = __nvvm_fma_rn_d(n, -6.077100506303966e-11, r);
        r = __nvvm_fma_rn_d(n, -2.0222662487959506e-21, r);
        *quadrant = (int)n;
        return (float)r;
    }
    // Payne and Hanek: the bits of 2/pi that matter, times the mantissa.
    const unsigned int words[8] = {0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
                                   0xdb629599u, 0x3c439041u, 0xfe5163abu, 0u};
    const unsigned int bits = __builtin_bit_cast(unsigned int, magnitude);
    const unsigned long long mantissa = (bits & 0x7fffffu) | 0x800000u;
    const int start = (int)(bits >> 23) - 150 - 2;
    const int word = start >> 5, shift = start & 31;
    unsigned long long window[3];
    for (int i = 0; i < 3; ++i) {
        const unsigned long long pair = (unsigned long long)words[word + i] << 32 | words[word + i + 1];
        window[i] = (pair << shift) >> 32;
    }
    const unsigned long long low = mantissa * window[2];
    const unsigned long long middle = mantissa * window[1] + (low >> 32);
    const unsigned long long high = mantissa * window[0] + (middle >> 32);
    const unsigned long long product = high << 32 | (middle & 0xffffffffu);
    const long long fraction = (long long)(product << 2);
    int q = (int)(product >> 62) + (fraction < 0 ? 1 : 0);
    const double r = (double)fraction * (1.5707963267948966 / 18446744073709551616.0);
    *quadrant = x < 0 ? -q : q;
    return (float)(x < 0 ? -r : r);
}
RIDGE_FN float ridgeSinSmall(float r)
{
    const float z = r * r;
    float p = fmaf(-1.958763909873762e-4f, z, 8.33274710466453e-3f);
    p = fmaf(p, z, -0.16666664656312208f);
    return fmaf(p * z, r, r);
}
RIDGE_FN float ridgeCosSmall(float r)
{
    const float z = r * r;
    float p = fmaf(2.454768977246003e-5f, z, -1.388830186756237e-3f);
    p = fmaf(p, z, 4.166666465348879e-2f);
    return fmaf(p * z, z, fmaf(-0.5f, z, 1.0f));
}
RIDGE_FN float ridgeCircular(float x, int ahead)
{
    if (!isfinite(x))
        return __builtin_bit_cast(float, 0x7fffffff);
    int quadrant = 0;
    const float r = ridgeReduce(x, &quadrant);
    quadrant += ahead;
    const float v = (quadrant & 1) != 0 ? ridgeCosSmall(r) : ridgeSinSmall(r);
    return (quadrant & 2) != 0 ? -v : v;
}
RIDGE_FN float sinf(float x) { return x == 0.0f ? x : ridgeCircular(x, 0); }
RIDGE_FN float cosf(float x) { return ridgeCircular(x, 1); }
RIDGE_FN void sincosf(float x, float* s, float* c)
{
    *s = sinf(x);
    *c = cosf(x);
}
RIDGE_FN float tanf(float x) { return sinf(x) / cosf(x); }

RIDGE_FN float tanhf(float x)
{
    const float a = fabsf(x);
    if (a >= 0.6f) {
        const float t = 1.0f - 2.0f / (expf(2.0f * a) + 1.0f);
        return a > 10.0f ? copysignf(1.0f, x) : copysignf(t, x);
    }
    const float z = x * x;
    float p = fmaf(2.3697227002356254e-3f, z, -8.409221849748927e-3f);
    p = fmaf(p, z, 2.178808280588286e-2f);
    p = fmaf(p, z, -5.3961524646438365e-2f);
    p = fmaf(p, z, 0.1333331276086171f);
    p = fmaf(p, z, -0.33333333230551604f);
    return x == 0.0f ? x : fmaf(p * z, x, x);
}
RIDGE_FN float erff(float x)
{
    const float a = fabsf(x);
    if (a < 1.0f) {
        const float z = x * x;
        float p = fmaf(7.875875062685488e-5f, z, -8.01686428716587e-4f);
        p = fmaf(p, z, 5.189087423433974e-3f);
        p = fmaf(p, z, -2.6854212010626412e-2f);
        p = fmaf(p, z, 0.11283594715160218f);
        p = fmaf(p, z, -0.37612626666720334f);
        return fmaf(p, z, 1.1283791658483509f) * x;
    }
    if (a > 3.95f)
        return x != x ? x : copysignf(1.0f, x);
    float p = fmaf(-1.6601586266460742e-6f, a, 4.649461012948801e-5f);
    p = fmaf(p, a, -6.003313290330581e-4f);
    p = fmaf(p, a, 4.775391090951717e-3f);
    p = fmaf(p, a, -2.6463977204172456e-2f);
    p = fmaf(p, a, 0.11015198286007435f);
    p = fmaf(p, a, 0.6317532615290645f);
    p = fmaf(p, a, 1.1302740254253678f);
    p = fmaf(p, a, -3.29677440377163e-4f);
    return copysignf(1.0f - expf(-p), x);
}
RIDGE_FN float atanf(float x)
{
    const float a = fabsf(x);
    float base = 0.0f, t = a;
    if (a > 2.41421356f) {
        base = 1.57079633f;
        t = -1.0f / a;
    } else if (a > 0.414213562f) {
        base = 0.785398163f;
        t = (a - 1.0f) / (a + 1.0f);
    }
    const float z = t * t;
    float p = fmaf(-6.451597258952992e-2f, z, 0.10743631627144574f);
    p = fmaf(p, z, -0.1426394635791234f);
    p = fmaf(p, z, 0.19999540216937534f);
    p = fmaf(p, z, -0.3333333176000804f);
    return copysignf(base + fmaf(p * z, t, t), x);
}
RIDGE_FN float atan2f(float y, float x)
{
    if (x == 0.0f && y == 0.0f)
        return copysignf(signbit(x) ? 3.14159274f : 0.0f, y);
    if (isinf(x) && isinf(y))
        return copysignf(signbit(x) ? 2.3561945f : 0.78539816f, y);
    const float quotient = atanf(fabsf(y) / fabsf(x));
    return copysignf(signbit(x) ? 3.14159274f - quotient : quotient, y);
}
RIDGE_FN float hypotf(float a, float b)
{
    if (isinf(a) || isinf(b))
        return __builtin_huge_valf();
    return (float)__nvvm_sqrt_rn_d((double)a * a + (double)b * b);
}
RIDGE_FN float modff(float a, float* whole)
{
    *whole = truncf(a);
    return isinf(a) ? copysignf(0.0f, a) : copysignf(a - *whole, a);
}

// ---- double precision -------------------------------------------------------------------------------------------------
RIDGE_FN double fabs(double a) { return __builtin_fabs(a); }
RIDGE_FN double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
RIDGE_FN double floor(double a) { return __nvvm_floor_d(a); }
RIDGE_FN double ceil(double a) { return __nvvm_ceil_d(a); }
RIDGE_FN double trunc(double a) { return __nvvm_trunc_d(a); }
RIDGE_FN double fmin(double a, double b) { return __nvvm_fmin_d(a, b); }
RIDGE_FN double fmax(double a, double b) { return __nvvm_fmax_d(a, b); }
RIDGE_FN double rsqrt(double a) { return 1.0 / sqrt(a); }

/// a * 2^n.
RIDGE_FN double ldexp(double a, int n)
{
    n = n < -2200 ? -2200 : n > 2200 ? 2200 : n;
    for (int step = 0; step < 3; ++step) {
        const int part = n < -1000 ? -1000 : n > 1000 ? 1000 : n;
        a *= __builtin_bit_cast(double, (long long)(part + 1023) << 52);
        n -= part;
    }
    return a;
}
RIDGE_FN double exp(double x)
{
    if (x > 709.79)
        return __builtin_huge_val();
    if (x < -746.0)
        return 0.0;
    if (x != x)
        return x;
    const double n = rint(x * 1.4426950408889634);
    double r = fma(n, -6.93147180369123816490e-01, x);
    r = fma(n, -1.90821492927058770002e-10, r);
    double p = 2.510038319586702e-8;
    p = fma(p, r, 2.7620085455018414e-7);
    p = fma(p, r, 2.7557268464831627e-6);
    p = fma(p, r, 2.4801521302241082e-5);
    p = fma(p, r, 1.9841269863050506e-4);
    p = fma(p, r, 1.388888891720967e-3);
    p = fma(p, r, 8.333333333330063e-3);
    p = fma(p, r, 4.1666666666624136e-2);
    p = fma(p, r, 0.16666666666666669);
    p = fma(p, r, 0.5);
    return ldexp(1.0 + fma(p, r * r, r), (int)n);
}
/// log(1 + f) + n log 2, 1 + f lying between sqrt(1/2) and sqrt(2): f - f^2/2 + s (f^2/2 + z p).
RIDGE_FN double ridgeLogNear(double f, double n)
{
    const double s = f / (2.0 + f);
    const double z = s * s;
    double p = 0.14616576421644387;
    p = fma(p, z, 0.15331711346672997);
    p = fma(p, z, 0.18182889433757515);
    p = fma(p, z, 0.22222211130560726);
    p = fma(p, z, 0.28571428626001427);
    p = fma(p, z, 0.3999999999989945);
    p = fma(p, z, 0.666666666666667);
    const double half = 0.5 * f * f;
    return fma(n, 6.93147180369123816490e-01, f - (half - fma(s, half + z * p, n * 1.90821492927058770002e-10)));
}
RIDGE_FN double log(double x)
{
    if (!(x > 0.0))
        return x == 0.0 ? -__builtin_huge_val() : __builtin_bit_cast(double, 0xfff8000000000000ull);
    if (x == __builtin_huge_val())
        return x;
    int shift = 0;
    if (x < 2.2250738585072014e-308) {
        x *= 18014398509481984.0;
        shift = -54;
    }
    const long long bits = __builtin_bit_cast(long long, x);
    const long long e = (bits - 0x3fe6a09e667f3bcdll) >> 52;
    const double m = __builtin_bit_cast(double, bits - (e << 52));
    return ridgeLogNear(m - 1.0, (double)(e + shift));
}
RIDGE_FN double log2(double x) { return log(x) * 1.4426950408889634; }
RIDGE_FN double log10(double x) { return log(x) * 0.43429448190325182; }
RIDGE_FN double exp2(double x)
{
    const double n = rint(fmax(-1100.0, fmin(x, 1100.0)));
    return ldexp(exp((x - n) * 0.69314718055994531), (int)n);
}
// ---- single precision by way of double --------------------------------------------------------------------------------
RIDGE_FN float powf(float a, float b)
{
    if (b == 0.0f || a == 1.0f)
        return 1.0f;
    if (a != a || b != b)
        return a + b;
    if (isinf(b) && fabsf(a) == 1.0f)
        return 1.0f;
    const bool whole = truncf(b) == b;
    const bool odd = whole && fabsf(b) < 16777216.0f && ((long long)b & 1) != 0;
    if (a == 0.0f || isinf(a)) {
        const bool large = (a == 0.0f) == (b < 0.0f);
        return copysignf(large ? __builtin_huge_valf() : 0.0f, odd ? a : 1.0f);
    }
    if (a < 0.0f && !whole)
        return __builtin_bit_cast(float, 0x7fffffff);
    const float magnitude = (float)exp((double)b * log(fabs((double)a)));
    return a < 0.0f && odd ? -magnitude : magnitude;
}
RIDGE_FN float cbrtf(float a)
{
    return a == 0.0f || !isfinite(a) ? a : copysignf((float)exp(log(fabs((double)a)) / 3.0), a);
}
RIDGE_FN float expm1f(float a)
{
    return a == 0.0f ? a : fabsf(a) < 0.34f ? ridgeExpSmall(a) : a > 89.0f ? expf(a) : (float)(exp((double)a) - 1.0);
}
RIDGE_FN float exp10f(float x) { return (float)exp((double)x * 2.302585092994046); }
RIDGE_FN float sinhf(float x) { return fabsf(x) < 1e-3f ? x : (float)(0.5 * (exp((double)x) - exp(-(double)x))); }
RIDGE_FN float coshf(float x) { return (float)(0.5 * (exp((double)x) + exp(-(double)x))); }

// ---- one instruction, or nearly ---------------------------------------------------------------------------------------
RIDGE_FN float __exp2f(float a) { return __nvvm_ex2_approx_f(a); }
RIDGE_FN float __exp10f(float a) { return __nvvm_ex2_approx_f(a * 3.32192809f); }
RIDGE_FN float __log10f(float a) { return __nvvm_lg2_approx_f(a) * 0.301029996f; }
RIDGE_FN float __sinf(float a) { return __nvvm_sin_approx_f(a); }
RIDGE_FN float __cosf(float a) { return __nvvm_cos_approx_f(a); }
RIDGE_FN float __tanf(float a) { return __sinf(a) / __cosf(a); }
RIDGE_FN float __powf(float a, float b) { return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a)); }
RIDGE_FN float __saturatef(float a) { return __nvvm_saturate_f(a); }
RIDGE_FN float __frcp_rn(float a) { return __nvvm_rcp_rn_f(a); }
RIDGE_FN float __fsqrt_rn(float a) { return __nvvm_sqrt_rn_f(a); }
RIDGE_FN float __fdiv_rn(float a, float b) { return __nvvm_div_rn_f(a, b); }
RIDGE_FN float __fmaf_rn(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
