// SPDX-License-Identifier: GPL-3.0-or-later
// bfloat16 for clang without a CUDA toolkit: the names of CUDA's cuda_bf16.h (CUDA Math API, "Bfloat16 Precision
// Intrinsics"). Compute capability 8.0 has fma, min, max, neg and abs; sums and products are fused with one or zero.
#pragma once

#include "cuda_fp16.h"

struct __nv_bfloat16 {
    unsigned short bits;
    __nv_bfloat16() = default;
    RIDGE_MEMBER __nv_bfloat16(float v) { asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(v)); }
    RIDGE_MEMBER __nv_bfloat16(int v) : __nv_bfloat16((float)v) {}
    RIDGE_MEMBER __nv_bfloat16(double v) : __nv_bfloat16((float)v) {}
    RIDGE_MEMBER operator float() const { return __builtin_bit_cast(float, (unsigned int)bits << 16); }
};
typedef __nv_bfloat16 nv_bfloat16;
struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    RIDGE_MEMBER __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
    RIDGE_MEMBER __nv_bfloat162(const __nv_bfloat162& from) { *(unsigned int*)this = *(const unsigned int*)&from; }
    RIDGE_MEMBER __nv_bfloat162& operator=(const __nv_bfloat162& from)
    {
        *(unsigned int*)this = *(const unsigned int*)&from;
        return *this;
    }
};
typedef __nv_bfloat162 nv_bfloat162;

RIDGE_FN unsigned int ridgeWordOf(__nv_bfloat162 v) { return *(const unsigned int*)&v; }
RIDGE_FN __nv_bfloat162 ridgeBfloat2Of(unsigned int word)
{
    __nv_bfloat162 v;
    *(unsigned int*)&v = word;
    return v;
}
RIDGE_FN __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { return __builtin_bit_cast(__nv_bfloat16, v); }
RIDGE_FN unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) { return v.bits; }
RIDGE_FN __nv_bfloat16 __float2bfloat16(float v) { return __nv_bfloat16(v); }
RIDGE_FN __nv_bfloat16 __float2bfloat16_rn(float v) { return __nv_bfloat16(v); }
RIDGE_FN float __bfloat162float(__nv_bfloat16 v) { return (float)v; }
RIDGE_FN __nv_bfloat162 __float2bfloat162_rn(float v) { return __nv_bfloat162(__nv_bfloat16(v), __nv_bfloat16(v)); }
RIDGE_FN __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
    unsigned int word;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(b), "f"(a));
    return ridgeBfloat2Of(word);
}
RIDGE_FN __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
RIDGE_FN float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2((float)v.x, (float)v.y); }
RIDGE_FN __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
RIDGE_FN __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
RIDGE_FN __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
RIDGE_FN __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
RIDGE_FN float __low2float(__nv_bfloat162 v) { return (float)v.x; }
RIDGE_FN float __high2float(__nv_bfloat162 v) { return (float)v.y; }

RIDGE_FN __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    unsigned short r;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return __ushort_as_bfloat16(r);
}
RIDGE_FN __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    unsigned int r;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(ridgeWordOf(a)), "r"(ridgeWordOf(b)), "r"(ridgeWordOf(c)));
    return ridgeBfloat2Of(r);
}
#define RIDGE_BFLOAT2(name, name2, form)                                                                               \
    RIDGE_FN __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b)                                                      \
    {                                                                                                                  \
        unsigned short r;                                                                                              \
        asm(form ".bf16 %0, %1, %2;" : "=h"(r) : "h"(a.bits), "h"(b.bits));                                           \
        return __ushort_as_bfloat16(r);                                                                                \
    }                                                                                                                  \
    RIDGE_FN __nv_bfloat162 name2(__nv_bfloat162 a, __nv_bfloat162 b)                                                  \
    {                                                                                                                  \
        unsigned int r;                                                                                                \
        asm(form ".bf16x2 %0, %1, %2;" : "=r"(r) : "r"(ridgeWordOf(a)), "r"(ridgeWordOf(b)));                         \
        return ridgeBfloat2Of(r);                                                                                      \
    }
RIDGE_BFLOAT2(__hmin, __hmin2, "min")
RIDGE_BFLOAT2(__hmax, __hmax2, "max")
RIDGE_BFLOAT2(__hmin_nan, __hmin2_nan, "min.NaN")
RIDGE_BFLOAT2(__hmax_nan, __hmax2_nan, "max.NaN")
RIDGE_FN __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.bits ^ 0x8000); }
RIDGE_FN __nv_bfloat16 __habs(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.bits & 0x7fff); }
RIDGE_FN __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return ridgeBfloat2Of(ridgeWordOf(a) ^ 0x80008000u); }
RIDGE_FN __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, __ushort_as_bfloat16(0x3f80), b); }
RIDGE_FN __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(b, __ushort_as_bfloat16(0xbf80), a); }
RIDGE_FN __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, b, __ushort_as_bfloat16(0x8000)); }
RIDGE_FN __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16((float)a / (float)b); }
RIDGE_FN __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hfma2(a, ridgeBfloat2Of(0x3f803f80u), b);
}
RIDGE_FN __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hfma2(b, ridgeBfloat2Of(0xbf80bf80u), a);
}
RIDGE_FN __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hfma2(a, b, ridgeBfloat2Of(0x80008000u));
}
RIDGE_FN __nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) { return __hadd(a, b); }
RIDGE_FN __nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) { return __hsub(a, b); }
RIDGE_FN __nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmul(a, b); }
RIDGE_FN __nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) { return __hdiv(a, b); }
RIDGE_FN __nv_bfloat16 operator-(__nv_bfloat16 a) { return __hneg(a); }
RIDGE_FN __nv_bfloat16& operator+=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = a + b; }
RIDGE_FN __nv_bfloat16& operator*=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = a * b; }
RIDGE_FN __nv_bfloat162 operator+(__nv_bfloat162 a, __nv_bfloat162 b) { return __hadd2(a, b); }
RIDGE_FN __nv_bfloat162 operator*(__nv_bfloat162 a, __nv_bfloat162 b) { return __hmul2(a, b); }
#define RIDGE_BFLOAT_COMPARE(name, op)                                                                                 \
    RIDGE_FN bool name(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a op (float)b; }
RIDGE_BFLOAT_COMPARE(__heq, ==)
RIDGE_BFLOAT_COMPARE(__hne, !=)
RIDGE_BFLOAT_COMPARE(__hlt, <)
RIDGE_BFLOAT_COMPARE(__hle, <=)
RIDGE_BFLOAT_COMPARE(__hgt, >)
RIDGE_BFLOAT_COMPARE(__hge, >=)
RIDGE_BFLOAT_COMPARE(operator==, ==)
RIDGE_BFLOAT_COMPARE(operator<, <)
RIDGE_BFLOAT_COMPARE(operator>, >)
RIDGE_FN __nv_bfloat16 hexp(__nv_bfloat16 a) { return __nv_bfloat16(expf(a)); }
RIDGE_FN __nv_bfloat16 hsqrt(__nv_bfloat16 a) { return __nv_bfloat16(sqrtf(a)); }
RIDGE_FN __nv_bfloat16 hrsqrt(__nv_bfloat16 a) { return __nv_bfloat16(rsqrtf(a)); }
RIDGE_FN __nv_bfloat162 atomicAdd(__nv_bfloat162* at, __nv_bfloat162 value)
{
    unsigned int word = *(volatile unsigned int*)at, seen;
    do {
        seen = word;
        word = atomicCAS((unsigned int*)at, seen, ridgeWordOf(__hadd2(ridgeBfloat2Of(seen), value)));
    } while (word != seen);
    return ridgeBfloat2Of(seen);
}
