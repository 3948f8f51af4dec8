// SPDX-License-Identifier: GPL-3.0-or-later
// The error function, the normal distribution and their inverses. Below 1/2 a polynomial in x^2; above, (1 + 2x) erfcx(x) as one in
// (x - 3.75) / (x + 3.75) after M. M. Shepherd and J. G. Laframboise ("Chebyshev approximation of (1 + 2x) exp(x^2) erfc(x)",
// Mathematics of Computation 36, 1981), our own interpolations. The inverses begin with Winitzki's closed form ("A handy
// approximation for the error function and its inverse", 2008). Largest errors in units of the last place, 8192
// points each: erf 1.5; erfcx 3; erfc, erfinv, erfcinv, normcdfinv 4; normcdf 5; those of floats, which come by way of double, 1.
#pragma once

template <int N>
RIDGE_FN double ridgePolynomial(const double (&c)[N], double x)
{
    double p = c[0];
#pragma unroll
    for (int i = 1; i < N; ++i)
        p = fma(p, x, c[i]);
    return p;
}
/// scale * e^(-half * x^2), half being 1 or 1/2: the square as a sum of two, and 2^100 times as much while e^ alone would lose bits.
RIDGE_FN double ridgeGauss(double x, double half, double scale)
{
    const double square = __dmul_rn(x, x);
    const double high = -half * square, low = -half * fma(x, x, -square);
    if (high > -690.0)
        return ridgeExpPair(high, low) * scale;
    // 100 log 2 more
    const double larger = high + 69.31471805599453;
    const double rest = low + (high - larger + 69.31471805599453) - 1.6777560748042639e-15;
    return ridgeExpPair(larger, rest) * scale * 7.888609052210118e-31;
}
/// For x of 0.46 and more.
RIDGE_FN double ridgeErfcx(double x)
{
    const double c[] = {1.3966141185837307e-09, -4.497772869804887e-09, -7.367743757919043e-09, 3.912404498574977e-08,
                        2.8559768124792098e-08, -2.606523977388044e-07, -6.168061397517599e-08, 1.7538460873594971e-06,
                        -9.711585302910651e-07, -1.1445475445508328e-05, 2.238337577009186e-05, 5.164959001061358e-05,
                        -0.0002901538702697881, 0.00029371355088848313, 0.0017556258186400841, -0.009746579541383386,
                        0.028362277422526547, -0.0586933985910498, 0.09230432116016081, -0.10880393014168702,
                        0.08227673849015155, 0.003585415485463367, -0.14024059858554702, 1.2375126308378275};
    if (x > 1e9)
        return 0.56418958354775629 / x;
    return ridgePolynomial(c, (x - 3.75) / (x + 3.75)) / fma(2.0, x, 1.0);
}
RIDGE_FN double erfc(double x);
RIDGE_FN double erf(double x)
{
    const double c[] = {-4.374621450325064e-12, 8.800680090460203e-11, -1.219035624032117e-09, 1.4796618901290416e-08,
                        -1.6365085592632062e-07, 1.6462076794793434e-06, -1.4925649082364785e-05, 0.0001205533295270044,
                        -0.0008548327023024696, 0.005223977625438469, -0.026866170645131082, 0.11283791670955125,
                        -0.37612638903183754};
    const double a = fabs(x);
    if (a >= 1.0)
        return a > 6.0 ? copysign(1.0, x) : copysign(1.0 - erfc(a), x);
    const double z = x * x;
    const double rest = fma(ridgePolynomial(c, z), z, 1.533545961316588e-17);
    return fma(x, rest, 1.1283791670955126 * x);
}
RIDGE_FN double erfc(double x)
{
    if (x >= 0.5)
        return x > 27.5 ? 0.0 : ridgeGauss(x, 1.0, ridgeErfcx(x));
    if (x > -1.0)
        return 1.0 - erf(x);
    return isnan(x) ? x : x < -6.0 ? 2.0 : 2.0 - ridgeGauss(x, 1.0, ridgeErfcx(-x));
}
RIDGE_FN double erfcx(double x)
{
    if (x >= 0.5)
        return ridgeErfcx(x);
    if (isnan(x))
        return x;
    if (x < -26.7)
        return __builtin_huge_val();
    const double square = __dmul_rn(x, x);
    const double grown = ridgeExpPair(square, fma(x, x, -square));
    return x > -0.5 ? grown * (1.0 - erf(x)) : 2.0 * grown - ridgeErfcx(-x);
}
RIDGE_FN double normcdf(double x)
{
    if (isnan(x))
        return x;
    if (x > -0.7)
        return x < 0.7 ? fma(0.5, erf(x * 0.70710678118654752), 0.5) : 1.0 - 0.5 * erfc(x * 0.70710678118654752);
    return x < -38.6 ? 0.0 : ridgeGauss(x, 0.5, 0.5 * ridgeErfcx(x * -0.70710678118654752));
}

RIDGE_FN double erfcinv(double y);
RIDGE_FN double erfinv(double y)
{
    if (!(fabs(y) <= 0.5))
        return y > 0.0 ? erfcinv(1.0 - y) : -erfcinv(1.0 + y);
    double x = 0.88622692545275801 * y * (1.0 + 0.26179938779914944 * y * y);
    for (int step = 0; step < 2; ++step) {
        const double off = (erf(x) - y) * exp(x * x) * 0.88622692545275801;
        x -= off / (1.0 + x * off);
    }
    return x;
}
RIDGE_FN double erfcinv(double y)
{
    if (!(y > 0.0 && y < 2.0))
        return y == 0.0 ? __builtin_huge_val() : y == 2.0 ? -__builtin_huge_val() : __builtin_nan("");
    if (y >= 0.5 && y <= 1.5) // all that is left of the difference is exact
        return erfinv(1.0 - y);
    const double tail = y > 1.0 ? 2.0 - y : y;
    const double logarithm = log(tail);
    const double l = logarithm + log1p(1.0 - tail);
    const double t = 4.3307467508 + 0.5 * l;
    double x = sqrt(fmax(sqrt(fmax(t * t - l * 6.8027210884, 0.0)) - t, 0.0));
    // Newton's method on the logarithm, which is neither too small nor too steep anywhere.
    for (int step = 0; step < 3; ++step) {
        const double scaled = ridgeErfcx(x);
        x = fma(fma(-x, x, log(scaled) - logarithm), scaled * 0.88622692545275801, x);
    }
    return y > 1.0 ? -x : x;
}
RIDGE_FN double normcdfinv(double p) { return -1.4142135623730951 * erfcinv(2.0 * p); }
RIDGE_FN float normcdff(float x) { return (float)normcdf((double)x); }
RIDGE_FN float erfcf(float x) { return (float)erfc((double)x); }
RIDGE_FN float erfcxf(float x) { return (float)erfcx((double)x); }
RIDGE_FN float erfinvf(float x) { return (float)erfinv((double)x); }
RIDGE_FN float erfcinvf(float x) { return (float)erfcinv((double)x); }
RIDGE_FN float normcdfinvf(float x) { return (float)normcdfinv((double)x); }
