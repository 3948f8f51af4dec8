// SPDX-License-Identifier: GPL-3.0-or-later
// More of CUDA's mathematical functions for clang: double precision, and single precision that follows from what math.h
// has. Largest errors in units of the last place (tests/labs/tst_kernel_files, and 4096 points each against libm): tan, atan,
// asin, acos, sinh, cosh, tanh, expm1, log1p, cbrt, hypot, asinf, acosf 4; asinhf, atanhf, acoshf 1; atanh 10; erf 15; erfc 49;
// pow 18 where the exponent is in the thousands, else 2. lgamma, tgamma (Lanczos, g = 7) are good to 1e-13 and 2e-7 of
// max(1, value).
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
RIDGE_FN double frexp(double a, int* exponent)
{
    *exponent = 0;
    if (a == 0.0 || !isfinite(a))
        return a;
    int shift = 0;
    if (fabs(a) < 2.2250738585072014e-308) {
        a *= 18014398509481984.0;
        shift = -54;
    }
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, a);
    *exponent = (int)(bits >> 52 & 0x7ff) - 1022 + shift;
    return __builtin_bit_cast(double, (bits & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
}
RIDGE_FN int ilogb(double a)
{
    int exponent;
    frexp(a, &exponent);
    return exponent - 1;
}
RIDGE_FN double logb(double a) { return (double)ilogb(a); }
/// Exact, one bit of the quotient a step.
RIDGE_FN double fmod(double a, double b)
{
    if (isnan(a) || isnan(b) || isinf(a) || b == 0.0)
        return __builtin_bit_cast(double, 0xfff8000000000000ull);
    const double divisor = fabs(b);
    double left = fabs(a);
    while (left >= divisor) {
        double part = ldexp(divisor, ilogb(left) - ilogb(divisor));
        if (part > left)
            part *= 0.5;
        left -= part;
    }
    return copysign(left, a);
}
RIDGE_FN double remainder(double a, double b)
{
    const double divisor = fabs(b);
    double left = fabs(fmod(a, divisor + divisor));
    if (left + left > divisor) {
        left -= divisor;
        if (left + left >= divisor)
            left -= divisor;
    }
    return signbit(a) ? -left : left;
}
RIDGE_FN void sincos(double x, double* s, double* c)
{
    *s = sin(x);
    *c = cos(x);
}
RIDGE_FN double tan(double x) { return sin(x) / cos(x); }
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
    const double u = 1.0 + x;
    return u == 1.0 || isinf(u) ? x : log(u) * (x / (u - 1.0));
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
    return x > 1e150 ? log(x) + 0.6931471805599453 : log1p((x - 1.0) + sqrt((x - 1.0) * (x + 1.0)));
}
RIDGE_FN double atanh(double x) { return 0.5 * log1p(2.0 * x / (1.0 - x)); }
RIDGE_FN double cbrt(double a)
{
    if (a == 0.0 || !isfinite(a))
        return a;
    const double y = exp(log(fabs(a)) / 3.0);
    return copysign(y - (fma(y * y, y, -fabs(a))) / (3.0 * y * y), a);
}
RIDGE_FN double rcbrt(double a) { return 1.0 / cbrt(a); }
RIDGE_FN double hypot(double a, double b)
{
    const double large = fmax(fabs(a), fabs(b)), small = fmin(fabs(a), fabs(b));
    if (isinf(large) || large == 0.0)
        return large;
    const double ratio = small / large;
    return isnan(a) || isnan(b) ? a + b : large * sqrt(fma(ratio, ratio, 1.0));
}
/// e^(high + low).
RIDGE_FN double ridgeExpPair(double high, double low)
{
    const double e = exp(high);
    return isinf(e) || e == 0.0 ? e : fma(e, low, e);
}
/// a^b of a positive, finite a: the logarithm as a sum of two.
RIDGE_FN double ridgePower(double a, double b)
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
    const double rest = (fma(-s, d, f) - s * lost) / d;
    const double z = s * s;
    double p = 0.0;
    for (int k = 23; k > 1; k -= 2)
        p = fma(p, z, 2.0 / k);
    const double n = (double)(e + shift);
    const double whole = n * 6.93147180369123816490e-01, twice = 2.0 * s;
    const double sum = whole + twice, back = sum - whole;
    const double error = (whole - (sum - back)) + (twice - back);
    const double low = error + fma(s * z, p, fma(n, 1.90821492927058770002e-10, 2.0 * rest));
    const double high = sum + low, tail = low - (high - sum);
    const double product = b * high;
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
/// Series below 1, continued fraction above.
RIDGE_FN double ridgeErfcLarge(double x)
{
    double fraction = 0.0;
    for (int k = 10 + (int)(140.0 / x); k > 0; --k)
        fraction = 0.5 * k / (x + fraction);
    const double square = x * x;
    return ridgeExpPair(-square, -fma(x, x, -square)) * 0.56418958354775629 / (x + fraction);
}
RIDGE_FN double erfc(double x);
RIDGE_FN double erf(double x)
{
    const double a = fabs(x);
    if (a >= 1.0)
        return copysign(1.0 - erfc(a), x);
    double sum = 0.0;
    for (int k = 24; k > 0; --k)
        sum = fma(sum, 2.0 * x * x / (2 * k + 1), 1.0);
    return 1.1283791670955126 * x * exp(-x * x) * sum;
}
RIDGE_FN double erfc(double x)
{
    if (isnan(x))
        return x;
    return x >= 27.5 ? 0.0 : x >= 1.0 ? ridgeErfcLarge(x) : x > -1.0 ? 1.0 - erf(x) : 2.0 - erfc(-x);
}
RIDGE_FN double normcdf(double x) { return 0.5 * erfc(x * -0.70710678118654752); }
/// Lanczos' sum for x - 1, and x + 6.5.
RIDGE_FN double ridgeLanczos(double x)
{
    double sum = 0.99999999999980993;
    sum += 676.5203681218851 / x;
    sum += -1259.1392167224028 / (x + 1.0);
    sum += 771.32342877765313 / (x + 2.0);
    sum += -176.61502916214059 / (x + 3.0);
    sum += 12.507343278686905 / (x + 4.0);
    sum += -0.13857109526572012 / (x + 5.0);
    sum += 9.9843695780195716e-6 / (x + 6.0);
    return sum + 1.5056327351493116e-7 / (x + 7.0);
}
RIDGE_FN double lgamma(double x)
{
    if (x < 0.5) {
        if (trunc(x) == x)
            return __builtin_huge_val();
        const double s = fabs(sin(3.1415926535897931 * (x - 2.0 * rint(0.5 * x))));
        const double y = 1.0 - x;
        return 1.1447298858494002 - log(s) -
               (0.91893853320467274 + (y - 0.5) * log(y + 6.5) - (y + 6.5) + log(ridgeLanczos(y)));
    }
    return 0.91893853320467274 + (x - 0.5) * log(x + 6.5) - (x + 6.5) + log(ridgeLanczos(x));
}
RIDGE_FN double tgamma(double x)
{
    if (x < 0.5)
        return 3.1415926535897931 / (sin(3.1415926535897931 * x) * 2.5066282746310002 * pow(6.5 + (1.0 - x), 0.5 - x) *
                                     exp(-(7.5 - x)) * ridgeLanczos(1.0 - x));
    return 2.5066282746310002 * pow(x + 6.5, x - 0.5) * exp(-(x + 6.5)) * ridgeLanczos(x);
}

// ---- single precision -------------------------------------------------------------------------------------------------
RIDGE_FN float asinf(float x) { return atan2f(x, sqrtf((1.0f - x) * (1.0f + x))); }
RIDGE_FN float acosf(float x) { return 2.0f * atan2f(sqrtf(1.0f - x), sqrtf(1.0f + x)); }
RIDGE_FN float asinhf(float x) { return (float)asinh((double)x); }
RIDGE_FN float acoshf(float x) { return (float)acosh((double)x); }
RIDGE_FN float atanhf(float x) { return (float)atanh((double)x); }
RIDGE_FN float lgammaf(float x) { return (float)lgamma((double)x); }
RIDGE_FN float tgammaf(float x) { return (float)tgamma((double)x); }
RIDGE_FN float normcdff(float x) { return (float)normcdf((double)x); }
RIDGE_FN float rcbrtf(float x) { return 1.0f / cbrtf(x); }
RIDGE_FN float remainderf(float a, float b) { return (float)remainder((double)a, (double)b); }
RIDGE_FN float frexpf(float a, int* exponent) { return (float)frexp((double)a, exponent); }
RIDGE_FN int ilogbf(float a) { return ilogb((double)a); }
RIDGE_FN float logbf(float a) { return (float)logb((double)a); }
RIDGE_FN float norm3df(float a, float b, float c) { return (float)sqrt((double)a * a + (double)b * b + (double)c * c); }
RIDGE_FN float rhypotf(float a, float b) { return 1.0f / hypotf(a, b); }
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
RIDGE_FN double __dsub_rn(double a, double b) { return __nvvm_add_rn_d(a, -b); }
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
