// SPDX-License-Identifier: GPL-3.0-or-later
// Eight-bit floats for clang without a CUDA toolkit: the names of CUDA's cuda_fp8.h (CUDA Math API, "FP8 Intrinsics"), computed in
// whole numbers, to nearest even. e4m3 has no infinity and one NaN (0x7f); e5m2 is a short half (Micikevicius et al., "FP8 formats
// for deep learning", 2022). Formats that scale blocks (e8m0, fp6, fp4) are not there.
#pragma once

#include "cuda_bf16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

/// Doubles hold every float, half and bfloat16, and round once.
RIDGE_FN unsigned char ridgeToFp8(double v, bool saturate, bool e5m2)
{
    const int mantissa = e5m2 ? 2 : 3, lowest = e5m2 ? -14 : -6;
    const unsigned int top = e5m2 ? 0x7bu : 0x7eu, beyond = e5m2 ? 0x7cu : 0x7fu;
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, v);
    const unsigned int sign = (unsigned int)(bits >> 56) & 0x80u;
    const double a = fabs(v);
    if (a != a)
        return 0x7f; // the sign of a NaN is not kept
    if (a == __builtin_huge_val())
        return (unsigned char)(sign | (saturate ? top : beyond));
    const int exponent = max((int)(bits >> 52 & 0x7ff) - 1023, lowest);
    const unsigned int steps = exponent > 40 ? 0xffffu : (unsigned int)rint(ldexp(a, mantissa - exponent));
    const unsigned int code = exponent > 40 ? 0xffffu : steps + ((unsigned int)(exponent - lowest) << mantissa);
    return (unsigned char)(sign | (code > top ? (saturate ? top : beyond) : code));
}
RIDGE_FN float ridgeFromFp8(unsigned int code, bool e5m2)
{
    const int mantissa = e5m2 ? 2 : 3, lowest = e5m2 ? -14 : -6;
    const unsigned int magnitude = code & 0x7fu;
    float v;
    if (e5m2 ? magnitude > 0x7cu : magnitude == 0x7fu)
        v = __builtin_nanf("");
    else if (e5m2 && magnitude == 0x7cu)
        v = __builtin_huge_valf();
    else {
        const int field = (int)(magnitude >> mantissa);
        const int fraction = (int)(magnitude & ((1u << mantissa) - 1)) + (field > 0 ? 1 << mantissa : 0);
        v = ldexpf((float)fraction, (field > 0 ? field - 1 : 0) + lowest - mantissa);
    }
    return (code & 0x80u) != 0 ? -v : v;
}
RIDGE_FN __nv_fp8_storage_t __nv_cvt_double_to_fp8(double v, __nv_saturation_t s, __nv_fp8_interpretation_t f)
{
    return ridgeToFp8(v, s == __NV_SATFINITE, f == __NV_E5M2);
}
RIDGE_FN __nv_fp8_storage_t __nv_cvt_float_to_fp8(float v, __nv_saturation_t s, __nv_fp8_interpretation_t f)
{
    return __nv_cvt_double_to_fp8((double)v, s, f);
}
RIDGE_FN __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t s, __nv_fp8_interpretation_t f)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(v.x, s, f) | __nv_cvt_float_to_fp8(v.y, s, f) << 8);
}
struct __half_raw {
    unsigned short x;
    RIDGE_MEMBER operator __half() const { return __builtin_bit_cast(__half, x); }
};
RIDGE_FN __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half v, __nv_saturation_t s, __nv_fp8_interpretation_t f)
{
    return __nv_cvt_float_to_fp8((float)v, s, f);
}
RIDGE_FN __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t v, __nv_fp8_interpretation_t f)
{
    return __half_raw{__half(ridgeFromFp8(v, f == __NV_E5M2)).bits};
}

#define RIDGE_FP8(name, e5m2)                                                                                          \
    struct name {                                                                                                      \
        __nv_fp8_storage_t __x;                                                                                        \
        name() = default;                                                                                              \
        RIDGE_MEMBER explicit name(float v) : __x(ridgeToFp8(v, true, e5m2)) {}                                        \
        RIDGE_MEMBER explicit name(double v) : __x(ridgeToFp8(v, true, e5m2)) {}                                       \
        RIDGE_MEMBER explicit name(__half v) : __x(ridgeToFp8((float)v, true, e5m2)) {}                                \
        RIDGE_MEMBER explicit name(__nv_bfloat16 v) : __x(ridgeToFp8((float)v, true, e5m2)) {}                         \
        RIDGE_MEMBER explicit name(int v) : __x(ridgeToFp8(v, true, e5m2)) {}                                          \
        RIDGE_MEMBER explicit name(unsigned int v) : __x(ridgeToFp8(v, true, e5m2)) {}                                 \
        RIDGE_MEMBER explicit operator float() const { return ridgeFromFp8(__x, e5m2); }                               \
        RIDGE_MEMBER explicit operator double() const { return ridgeFromFp8(__x, e5m2); }                              \
        RIDGE_MEMBER explicit operator __half() const { return __half(ridgeFromFp8(__x, e5m2)); }                      \
        RIDGE_MEMBER explicit operator __nv_bfloat16() const { return __nv_bfloat16(ridgeFromFp8(__x, e5m2)); }        \
        RIDGE_MEMBER explicit operator int() const { return (int)ridgeFromFp8(__x, e5m2); }                            \
        RIDGE_MEMBER explicit operator bool() const { return (__x & 0x7f) != 0; }                                      \
    }
RIDGE_FP8(__nv_fp8_e4m3, false);
RIDGE_FP8(__nv_fp8_e5m2, true);
#define RIDGE_FP8_VECTORS(stem, one, e5m2)                                                                             \
    struct __align__(2) __nv_fp8x2_##stem {                                                                            \
        __nv_fp8x2_storage_t __x;                                                                                      \
        __nv_fp8x2_##stem() = default;                                                                                 \
        RIDGE_MEMBER explicit __nv_fp8x2_##stem(float2 v)                                                              \
            : __x((__nv_fp8x2_storage_t)(one(v.x).__x | one(v.y).__x << 8)) {}                                         \
        RIDGE_MEMBER explicit __nv_fp8x2_##stem(__half2 v) : __nv_fp8x2_##stem(__half22float2(v)) {}                   \
        RIDGE_MEMBER explicit __nv_fp8x2_##stem(__nv_bfloat162 v) : __nv_fp8x2_##stem(__bfloat1622float2(v)) {}        \
        RIDGE_MEMBER explicit operator float2() const                                                                  \
        {                                                                                                              \
            return make_float2(ridgeFromFp8(__x & 0xffu, e5m2), ridgeFromFp8(__x >> 8, e5m2));                         \
        }                                                                                                              \
        RIDGE_MEMBER explicit operator __half2() const { return __float22half2_rn((float2) * this); }                  \
    };                                                                                                                 \
    struct __align__(4) __nv_fp8x4_##stem {                                                                            \
        __nv_fp8x4_storage_t __x;                                                                                      \
        __nv_fp8x4_##stem() = default;                                                                                 \
        RIDGE_MEMBER explicit __nv_fp8x4_##stem(float4 v)                                                              \
            : __x(one(v.x).__x | one(v.y).__x << 8 | one(v.z).__x << 16 | (unsigned int)one(v.w).__x << 24) {}         \
        RIDGE_MEMBER explicit operator float4() const                                                                  \
        {                                                                                                              \
            return make_float4(ridgeFromFp8(__x & 0xffu, e5m2), ridgeFromFp8(__x >> 8 & 0xffu, e5m2),                  \
                               ridgeFromFp8(__x >> 16 & 0xffu, e5m2), ridgeFromFp8(__x >> 24, e5m2));                  \
        }                                                                                                              \
    };
RIDGE_FP8_VECTORS(e4m3, __nv_fp8_e4m3, false)
RIDGE_FP8_VECTORS(e5m2, __nv_fp8_e5m2, true)
