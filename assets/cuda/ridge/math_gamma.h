// SPDX-License-Identifier: GPL-3.0-or-later
// Gamma and its logarithm: our own interpolations around 2 and between 2 and 3, Stirling's series above 9, steps of the recurrence
// between, Euler's reflection below. Largest errors in units of the last place, 8192 points each: tgamma 6; lgamma 4, but between
// -11 and -2.2, where it has zeros, so much of max(1, value); those of floats, which come by way of double, 1.
#pragma once

/// (x - 1/2) log x - x for 9 <= x < 1e17, as a sum of two together with Stirling's series; Gamma is sqrt(2 pi) e^ of it.
RIDGE_FN double ridgeStirling(double x, double* low)
{
    const double c[] = {-0.0017028927202027318, 0.0008388670080197794, -0.0005952199177508748, 0.0007936507414758101,
                        -0.00277777777772278, 0.08333333333333333};
    double tail;
    const double logarithm = ridgeLogPair(x, &tail), factor = x - 0.5;
    const double product = __dmul_rn(factor, logarithm);
    const double rest = fma(factor, logarithm, -product) + factor * tail;
    const double inverse = 1.0 / x, series = inverse * ridgePolynomial(c, inverse * inverse);
    const double less = product - x, lost = (product - less - x) + rest + series;
    const double sum = less + lost;
    *low = lost - (sum - less);
    return sum;
}
RIDGE_FN double ridgeSinePi(double x)
{
    double s, c;
    sincospi(x, &s, &c);
    return s;
}
RIDGE_FN double tgamma(double x)
{
    const double c[] = {3.329125646482475e-08, -3.8274565898014405e-07, 2.148460027967576e-06, -7.987807701116402e-06,
                        2.2704176616091643e-05, -5.418415448968282e-05, 0.00011720686791735358, -0.0002385600851711273,
                        0.0004893933325338349, -0.0009192508269131928, 0.002103852972336482, -0.002852630781571875,
                        0.011154043657345224, -0.0002669818697141027, 0.0742490107406991, 0.08157691924759117,
                        0.41184033042642915, 0.42278433509846725, 1.0};
    if (isnan(x))
        return x;
    if (x == 0.0)
        return copysign(__builtin_huge_val(), x);
    if (x > 171.7)
        return __builtin_huge_val();
    if (x < 0.0 && trunc(x) == x)
        return __builtin_bit_cast(double, 0xfff8000000000000ull);
    double low;
    if (x >= 10.0) {
        const double high = ridgeStirling(x, &low);
        return ridgeExpPair(high, low) * 2.5066282746310007;
    }
    if (x <= -10.0) {
        if (x < -190.0)
            return copysign(0.0, ridgeSinePi(x));
        const double high = ridgeStirling(-x, &low);
        const double root = ridgeExpPair(-0.5 * high, -0.5 * low);
        return 1.2533141373155003 / (ridgeSinePi(x) * x) * -root * root;
    }
    double top = 1.0, bottom = 1.0, at = x;
    for (; at >= 3.0; at -= 1.0)
        top *= at - 1.0;
    for (; at < 2.0; at += 1.0)
        bottom *= at;
    return ridgePolynomial(c, at - 2.0) * top / bottom;
}
/// For x of 1/2 and more.
RIDGE_FN double ridgeLogGamma(double x)
{
    const double c[] = {2.7475390051909663e-07, -5.811277768921246e-07, 9.242852225162277e-07, -1.9743106888421067e-06,
                        4.3828545383846665e-06, -9.45628851510172e-06, 2.050601970174762e-05, -4.4923727564247656e-05,
                        9.945761692157133e-05, -0.00022315497746292723, 0.0005096695196526673, -0.0011927539009983087,
                        0.002890510330865901, -0.007385551028935545, 0.02058080842778338, -0.06735230105319563,
                        0.3224670334241132, 0.42278433509846713};
    if (x >= 1e17)
        return x * (log(x) - 1.0);
    if (x >= 9.0) {
        double low;
        const double high = ridgeStirling(x, &low);
        return high + (low + 0.9189385332046728);
    }
    if (x < 1.5)
        return fma(x - 1.0, ridgePolynomial(c, x - 1.0), -log1p(x - 1.0));
    double product = 1.0, at = x;
    for (; at >= 2.5; at -= 1.0)
        product *= at - 1.0;
    return fma(at - 2.0, ridgePolynomial(c, at - 2.0), product > 1.0 ? log(product) : 0.0);
}
RIDGE_FN double lgamma(double x)
{
    if (isnan(x))
        return x;
    if (isinf(x) || (x <= 0.0 && trunc(x) == x))
        return __builtin_huge_val();
    if (x >= 0.5)
        return ridgeLogGamma(x);
    if (x > -0.5)
        return ridgeLogGamma(1.0 + x) - log(fabs(x));
    return log(3.1415926535897931 / fabs(x * ridgeSinePi(x))) - ridgeLogGamma(-x);
}
RIDGE_FN float lgammaf(float x) { return (float)lgamma((double)x); }
RIDGE_FN float tgammaf(float x) { return (float)tgamma((double)x); }
