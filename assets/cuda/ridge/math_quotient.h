// SPDX-License-Identifier: GPL-3.0-or-later
// Exponents of numbers, and what a division leaves: exact for all arguments, 52 bits of the quotient a step.
#pragma once

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
RIDGE_FN float frexpf(float a, int* exponent) { return (float)frexp((double)a, exponent); }
RIDGE_FN int ilogb(double a)
{
    if (a == 0.0 || isnan(a))
        return -2147483647 - 1;
    if (isinf(a))
        return 2147483647;
    int exponent;
    frexp(a, &exponent);
    return exponent - 1;
}
RIDGE_FN int ilogbf(float a) { return ilogb((double)a); }
RIDGE_FN double logb(double a)
{
    return a == 0.0 ? -__builtin_huge_val() : isfinite(a) ? (double)ilogb(a) : a * a;
}
RIDGE_FN float logbf(float a) { return (float)logb((double)a); }

/// |a| modulo |b| for numbers without a special case, and the quotient's last bits.
RIDGE_FN double ridgeModulo(double a, double b, unsigned int* quotient)
{
    int above, of;
    // Whole numbers of 53 bits: their quotient's error cannot reach 1, so that every rest below is exact.
    double left = frexp(fabs(a), &above) * 9007199254740992.0;
    const double divisor = frexp(fabs(b), &of) * 9007199254740992.0;
    *quotient = 0;
    int gap = above - of;
    if (gap < 0)
        return fabs(a);
    unsigned int times = left >= divisor ? 1 : 0;
    left = left >= divisor ? left - divisor : left;
    while (gap > 0 && left > 0.0) {
        const int step = gap > 52 ? 52 : gap;
        const double shifted = left * __builtin_bit_cast(double, (long long)(step + 1023) << 52);
        double whole = trunc(shifted / divisor);
        left = fma(-whole, divisor, shifted);
        if (left < 0.0) {
            left += divisor;
            whole -= 1.0;
        }
        times = (step > 31 ? 0 : times << step) + (unsigned int)(unsigned long long)whole;
        gap -= step;
    }
    *quotient = gap > 31 ? 0 : times << gap;
    return ldexp(left, of - 53);
}
RIDGE_FN bool ridgeUndivided(double a, double b) { return isnan(a) || isnan(b) || isinf(a) || b == 0.0; }
RIDGE_FN double fmod(double a, double b)
{
    if (ridgeUndivided(a, b))
        return __builtin_bit_cast(double, 0xfff8000000000000ull);
    unsigned int quotient;
    return isinf(b) || a == 0.0 ? a : copysign(ridgeModulo(a, b, &quotient), a);
}
RIDGE_FN double remquo(double a, double b, int* quotient)
{
    *quotient = 0;
    if (ridgeUndivided(a, b))
        return __builtin_bit_cast(double, 0xfff8000000000000ull);
    if (isinf(b) || a == 0.0)
        return a;
    unsigned int times;
    double left = ridgeModulo(a, b, &times);
    // Twice what is left may be infinite, half of the divisor may be rounded.
    const double divisor = fabs(b), other = divisor - left;
    if (left > other || (left == other && (times & 1) != 0)) {
        left -= divisor;
        ++times;
    }
    const int low = (int)(times & 7);
    *quotient = signbit(a) != signbit(b) ? -low : low;
    return left == 0.0 ? copysign(0.0, a) : signbit(a) ? -left : left;
}
RIDGE_FN double remainder(double a, double b)
{
    int quotient;
    return remquo(a, b, &quotient);
}
RIDGE_FN float fmodf(float a, float b) { return (float)fmod((double)a, (double)b); }
RIDGE_FN float remainderf(float a, float b) { return (float)remainder((double)a, (double)b); }
RIDGE_FN float remquof(float a, float b, int* quotient) { return (float)remquo((double)a, (double)b, quotient); }
