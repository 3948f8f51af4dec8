// SPDX-License-Identifier: GPL-3.0-or-later
// What C++ adds to the functions of <cmath>: float and integer overloads, and the names in std. They come before any system
// header, so that clang does not take the host's constexpr overloads for device code.
#pragma once
// Clang lets device overloads stand beside the host's constexpr ones only where they come from a system header.
#pragma clang system_header

template <class T, bool Integer>
struct RidgeOnlyInteger {};
template <class T>
struct RidgeOnlyInteger<T, true> {
    typedef double Type;
};
#define RIDGE_IF_INTEGER(T) typename RidgeOnlyInteger<T, __is_integral(T)>::Type
template <class A, class B>
struct RidgePromoted {
    typedef double Type;
};
template <>
struct RidgePromoted<float, float> {
    typedef float Type;
};

#define RIDGE_OVERLOAD1(name)                                                                                          \
    RIDGE_FN float name(float a) { return name##f(a); }                                                                \
    template <class T>                                                                                                 \
    RIDGE_FN RIDGE_IF_INTEGER(T) name(T a)                                                                             \
    {                                                                                                                  \
        return name((double)a);                                                                                        \
    }                                                                                                                  \
    namespace std {                                                                                                    \
    using ::name;                                                                                                      \
    using ::name##f;                                                                                                   \
    }
#define RIDGE_OVERLOAD2(name)                                                                                          \
    RIDGE_FN float name(float a, float b) { return name##f(a, b); }                                                    \
    template <class A, class B, class = RIDGE_ENABLE_ARITHMETIC(A), class = RIDGE_ENABLE_ARITHMETIC(B)>                \
    RIDGE_FN typename RidgePromoted<A, B>::Type name(A a, B b)                                                         \
    {                                                                                                                  \
        return name((typename RidgePromoted<A, B>::Type)a, (typename RidgePromoted<A, B>::Type)b);                     \
    }                                                                                                                  \
    namespace std {                                                                                                    \
    using ::name;                                                                                                      \
    using ::name##f;                                                                                                   \
    }
template <class T, bool Arithmetic>
struct RidgeOnlyArithmetic {};
template <class T>
struct RidgeOnlyArithmetic<T, true> {
    typedef T Type;
};
#define RIDGE_ENABLE_ARITHMETIC(T) typename RidgeOnlyArithmetic<T, __is_arithmetic(T)>::Type

RIDGE_OVERLOAD1(sqrt)
RIDGE_OVERLOAD1(rsqrt)
RIDGE_OVERLOAD1(cbrt)
RIDGE_OVERLOAD1(exp)
RIDGE_OVERLOAD1(exp2)
RIDGE_OVERLOAD1(exp10)
RIDGE_OVERLOAD1(expm1)
RIDGE_OVERLOAD1(log)
RIDGE_OVERLOAD1(log2)
RIDGE_OVERLOAD1(log10)
RIDGE_OVERLOAD1(log1p)
RIDGE_OVERLOAD1(sin)
RIDGE_OVERLOAD1(cos)
RIDGE_OVERLOAD1(tan)
RIDGE_OVERLOAD1(asin)
RIDGE_OVERLOAD1(acos)
RIDGE_OVERLOAD1(atan)
RIDGE_OVERLOAD1(sinh)
RIDGE_OVERLOAD1(cosh)
RIDGE_OVERLOAD1(tanh)
RIDGE_OVERLOAD1(asinh)
RIDGE_OVERLOAD1(acosh)
RIDGE_OVERLOAD1(atanh)
RIDGE_OVERLOAD1(erf)
RIDGE_OVERLOAD1(erfc)
RIDGE_OVERLOAD1(erfinv)
RIDGE_OVERLOAD1(erfcinv)
RIDGE_OVERLOAD1(erfcx)
RIDGE_OVERLOAD1(normcdf)
RIDGE_OVERLOAD1(normcdfinv)
RIDGE_OVERLOAD1(sinpi)
RIDGE_OVERLOAD1(cospi)
RIDGE_OVERLOAD1(lgamma)
RIDGE_OVERLOAD1(tgamma)
RIDGE_OVERLOAD1(floor)
RIDGE_OVERLOAD1(ceil)
RIDGE_OVERLOAD1(trunc)
RIDGE_OVERLOAD1(round)
RIDGE_OVERLOAD1(rint)
RIDGE_OVERLOAD1(nearbyint)
RIDGE_OVERLOAD1(logb)
RIDGE_OVERLOAD1(fabs)
RIDGE_OVERLOAD2(pow)
RIDGE_OVERLOAD2(atan2)
RIDGE_OVERLOAD2(fmod)
RIDGE_OVERLOAD2(remainder)
RIDGE_OVERLOAD2(hypot)
RIDGE_OVERLOAD2(copysign)
RIDGE_OVERLOAD2(fmin)
RIDGE_OVERLOAD2(fmax)
RIDGE_OVERLOAD2(fdim)

RIDGE_FN float abs(float a) { return fabsf(a); }
RIDGE_FN double abs(double a) { return fabs(a); }
RIDGE_FN long abs(long a) { return a < 0 ? -a : a; }
RIDGE_FN long long abs(long long a) { return a < 0 ? -a : a; }
RIDGE_FN long labs(long a) { return a < 0 ? -a : a; }
RIDGE_FN long long llabs(long long a) { return a < 0 ? -a : a; }
RIDGE_FN float fma(float a, float b, float c) { return fmaf(a, b, c); }
RIDGE_FN float ldexp(float a, int n) { return ldexpf(a, n); }
RIDGE_FN float scalbn(float a, int n) { return scalbnf(a, n); }
RIDGE_FN float modf(float a, float* whole) { return modff(a, whole); }
RIDGE_FN float frexp(float a, int* exponent) { return frexpf(a, exponent); }
RIDGE_FN int ilogb(float a) { return ilogbf(a); }
RIDGE_FN long lround(float a) { return lroundf(a); }
RIDGE_FN long lrint(float a) { return lrintf(a); }
RIDGE_FN long long llrint(float a) { return llrintf(a); }

namespace std {
using ::abs;
using ::fma;
using ::fmaf;
using ::frexp;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::labs;
using ::ldexp;
using ::llabs;
using ::llrint;
using ::lrint;
using ::lround;
using ::modf;
using ::scalbn;
using ::signbit;
} // namespace std

#ifndef INFINITY
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VAL __builtin_huge_val()
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
