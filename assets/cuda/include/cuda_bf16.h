// SPDX-License-Identifier: GPL-3.0-or-later
// bfloat16 for clang without a CUDA toolkit: the names of CUDA's cuda_bf16.h (CUDA Math API, "Bfloat16 Precision
// Intrinsics"). Compute capability 8.0 has fma, min, max, neg and abs; sums and products are fused with one or zero. Older
// chips compute in single precision, as CUDA's header does there, and fma rounds once.
#pragma once

#include "cuda_fp16.h"

/// v in single precision, its last bit set where something was cut off: what is rounded from it to fewer bits is v rounded once.
RIDGE_FN float ridgeOdd(float cut, bool isExact)
{
    return isExact ? cut : __builtin_bit_cast(float, __builtin_bit_cast(unsigned int, cut) | 1u);
}
RIDGE_FN float ridgeOdd(double v)
{
    const float cut = __double2float_rz(v);
    return ridgeOdd(cut, (double)cut == v || v != v);
}
RIDGE_FN float ridgeOdd(int v) { return ridgeOdd((double)v); }
RIDGE_FN float ridgeOdd(unsigned int v) { return ridgeOdd((double)v); }
RIDGE_FN float ridgeOdd(long long v)
{
    const float cut = __ll2float_rz(v);
    return ridgeOdd(cut, (long long)cut == v);
}
RIDGE_FN float ridgeOdd(unsigned long long v)
{
    const float cut = __ull2float_rz(v);
    return ridgeOdd(cut, (unsigned long long)cut == v);
}

struct __nv_bfloat16 {
    unsigned short bits;
    __nv_bfloat16() = default;
    RIDGE_MEMBER __nv_bfloat16(float v)
    {
#if __CUDA_ARCH__ >= 800
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(v));
#else
        const unsigned int word = __builtin_bit_cast(unsigned int, v);
        bits = v != v ? 0x7fff : (unsigned short)((word + 0x7fff + (word >> 16 & 1)) >> 16);
#endif
    }
    RIDGE_MEMBER __nv_bfloat16(int v) : __nv_bfloat16(ridgeOdd(v)) {}
    RIDGE_MEMBER __nv_bfloat16(double v) : __nv_bfloat16(ridgeOdd(v)) {}
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
RIDGE_FN __nv_bfloat16 __short_as_bfloat16(short v) { return __builtin_bit_cast(__nv_bfloat16, v); }
RIDGE_FN short __bfloat16_as_short(__nv_bfloat16 v) { return (short)v.bits; }
RIDGE_FN __nv_bfloat16 __double2bfloat16(double v) { return __nv_bfloat16(v); }
RIDGE_FN __nv_bfloat16 __float2bfloat16(float v) { return __nv_bfloat16(v); }
RIDGE_FN __nv_bfloat16 __float2bfloat16_rn(float v) { return __nv_bfloat16(v); }
RIDGE_FN float __bfloat162float(__nv_bfloat16 v) { return (float)v; }
RIDGE_FN __nv_bfloat162 __float2bfloat162_rn(float v) { return __nv_bfloat162(__nv_bfloat16(v), __nv_bfloat16(v)); }
RIDGE_FN __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
#if __CUDA_ARCH__ >= 800
    unsigned int word;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(b), "f"(a));
    return ridgeBfloat2Of(word);
#else
    return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
#endif
}
RIDGE_FN __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
RIDGE_FN float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2((float)v.x, (float)v.y); }
RIDGE_FN __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
RIDGE_FN __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
RIDGE_FN __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
RIDGE_FN __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
RIDGE_FN __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.x, v.x); }
RIDGE_FN __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.y); }
RIDGE_FN __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
RIDGE_FN __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
RIDGE_FN __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
RIDGE_FN float __low2float(__nv_bfloat162 v) { return (float)v.x; }
RIDGE_FN float __high2float(__nv_bfloat162 v) { return (float)v.y; }

#if __CUDA_ARCH__ >= 800
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
#else
RIDGE_FN __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    // The product is exact in double precision, and what the sum loses is remembered in its last bit.
    const double product = (double)(float)a * (float)b, addend = (float)c;
    const double cut = __nvvm_add_rz_d(product, addend), up = __nvvm_add_rp_d(product, addend);
    const bool isExact = cut == up && cut == __nvvm_add_rm_d(product, addend);
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, cut);
    return __nv_bfloat16(isExact || cut != cut ? cut : __builtin_bit_cast(double, bits | 1));
}
RIDGE_FN __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
RIDGE_SMALL_EXTREMES(__nv_bfloat16, __nv_bfloat162)
#endif
RIDGE_FN __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.bits ^ 0x8000); }
RIDGE_FN __nv_bfloat16 __habs(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.bits & 0x7fff); }
RIDGE_FN __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return ridgeBfloat2Of(ridgeWordOf(a) ^ 0x80008000u); }
RIDGE_FN __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16((float)a / (float)b); }
#if __CUDA_ARCH__ >= 800
RIDGE_FN __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, __ushort_as_bfloat16(0x3f80), b); }
RIDGE_FN __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(b, __ushort_as_bfloat16(0xbf80), a); }
RIDGE_FN __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, b, __ushort_as_bfloat16(0x8000)); }
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
#else
#define RIDGE_BFLOAT_BY_FLOAT(name, op)                                                                                \
    RIDGE_FN __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16((float)a op(float) b); }      \
    RIDGE_FN __nv_bfloat162 name##2(__nv_bfloat162 a, __nv_bfloat162 b)                                                \
    {                                                                                                                  \
        return __nv_bfloat162(name(a.x, b.x), name(a.y, b.y));                                                         \
    }
RIDGE_BFLOAT_BY_FLOAT(__hadd, +)
RIDGE_BFLOAT_BY_FLOAT(__hsub, -)
RIDGE_BFLOAT_BY_FLOAT(__hmul, *)
#endif
#define RIDGE_BFLOAT_FORMS(suffix, form)                                                                               \
    RIDGE_FN __nv_bfloat16 __hfma##suffix(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)                           \
    {                                                                                                                  \
        unsigned short r;                                                                                              \
        asm(form ".bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.bits), "h"(b.bits), "h"(c.bits));                          \
        return __ushort_as_bfloat16(r);                                                                                \
    }                                                                                                                  \
    RIDGE_FN __nv_bfloat162 __hfma2##suffix(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)                      \
    {                                                                                                                  \
        unsigned int r;                                                                                                \
        asm(form ".bf16x2 %0, %1, %2, %3;"                                                                            \
            : "=r"(r) : "r"(ridgeWordOf(a)), "r"(ridgeWordOf(b)), "r"(ridgeWordOf(c)));                               \
        return ridgeBfloat2Of(r);                                                                                      \
    }
#if __CUDA_ARCH__ >= 800
RIDGE_BFLOAT_FORMS(_relu, "fma.rn.relu")
#else
RIDGE_SMALL_FMA_RELU(__nv_bfloat16, __nv_bfloat162)
#endif
#define RIDGE_BFLOAT_ROUNDED(name)                                                                                     \
    RIDGE_FN __nv_bfloat16 name##_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return name(a, b); }                          \
    RIDGE_FN __nv_bfloat162 name##2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return name##2(a, b); }
RIDGE_BFLOAT_ROUNDED(__hadd)
RIDGE_BFLOAT_ROUNDED(__hsub)
RIDGE_BFLOAT_ROUNDED(__hmul)
/// Between zero and one; a NaN becomes zero.
RIDGE_FN __nv_bfloat16 ridgeUnit(__nv_bfloat16 v)
{
    return __hmin(__hmax(v, __ushort_as_bfloat16(0)), __ushort_as_bfloat16(0x3f80));
}
RIDGE_FN __nv_bfloat162 ridgeUnit(__nv_bfloat162 v)
{
    return __hmin2(__hmax2(v, ridgeBfloat2Of(0)), ridgeBfloat2Of(0x3f803f80u));
}
#define RIDGE_BFLOAT_CLAMPED(name)                                                                                     \
    RIDGE_FN __nv_bfloat16 name##_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return ridgeUnit(name(a, b)); }              \
    RIDGE_FN __nv_bfloat162 name##2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { return ridgeUnit(name##2(a, b)); }
RIDGE_BFLOAT_CLAMPED(__hadd)
RIDGE_BFLOAT_CLAMPED(__hsub)
RIDGE_BFLOAT_CLAMPED(__hmul)
RIDGE_FN __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return ridgeUnit(__hfma(a, b, c)); }
RIDGE_FN __nv_bfloat162 __hfma2_sat(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return ridgeUnit(__hfma2(a, b, c));
}
RIDGE_FN __nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) { return __hadd(a, b); }
RIDGE_FN __nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) { return __hsub(a, b); }
RIDGE_FN __nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmul(a, b); }
RIDGE_FN __nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) { return __hdiv(a, b); }
RIDGE_FN __nv_bfloat16 operator-(__nv_bfloat16 a) { return __hneg(a); }
RIDGE_FN __nv_bfloat16& operator+=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = a + b; }
RIDGE_FN __nv_bfloat16& operator*=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = a * b; }
RIDGE_FN __nv_bfloat16& operator-=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = a - b; }
RIDGE_FN __nv_bfloat16& operator/=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = a / b; }
RIDGE_FN __nv_bfloat162 operator-(__nv_bfloat162 a, __nv_bfloat162 b) { return __hsub2(a, b); }
RIDGE_FN __nv_bfloat162 operator-(__nv_bfloat162 a) { return __hneg2(a); }
RIDGE_FN __nv_bfloat162 operator+(__nv_bfloat162 a, __nv_bfloat162 b) { return __hadd2(a, b); }
RIDGE_FN __nv_bfloat162 operator*(__nv_bfloat162 a, __nv_bfloat162 b) { return __hmul2(a, b); }
RIDGE_FN __nv_bfloat162& operator+=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a + b; }
RIDGE_FN __nv_bfloat162& operator*=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a * b; }
#define RIDGE_BFLOAT_COMPARE(name, op)                                                                                 \
    RIDGE_FN bool name(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a op (float)b; }
RIDGE_BFLOAT_COMPARE(__heq, ==)
RIDGE_BFLOAT_COMPARE(__hlt, <)
RIDGE_BFLOAT_COMPARE(__hle, <=)
RIDGE_BFLOAT_COMPARE(__hgt, >)
RIDGE_BFLOAT_COMPARE(__hge, >=)
RIDGE_BFLOAT_COMPARE(operator==, ==)
RIDGE_BFLOAT_COMPARE(operator!=, !=)
RIDGE_BFLOAT_COMPARE(operator<=, <=)
RIDGE_BFLOAT_COMPARE(operator>=, >=)
RIDGE_BFLOAT_COMPARE(operator<, <)
RIDGE_BFLOAT_COMPARE(operator>, >)
RIDGE_FN __nv_bfloat16 hexp(__nv_bfloat16 a) { return __nv_bfloat16(expf(a)); }
RIDGE_FN __nv_bfloat16 hsqrt(__nv_bfloat16 a) { return __nv_bfloat16(sqrtf(a)); }
RIDGE_FN __nv_bfloat16 hrsqrt(__nv_bfloat16 a) { return __nv_bfloat16(rsqrtf(a)); }
RIDGE_FN __nv_bfloat16 hexp2(__nv_bfloat16 a) { return __nv_bfloat16(exp2f(a)); }
RIDGE_FN __nv_bfloat16 hlog(__nv_bfloat16 a) { return __nv_bfloat16(logf(a)); }
RIDGE_FN __nv_bfloat16 hlog2(__nv_bfloat16 a) { return __nv_bfloat16(log2f(a)); }
RIDGE_FN __nv_bfloat16 hsin(__nv_bfloat16 a) { return __nv_bfloat16(sinf(a)); }
RIDGE_FN __nv_bfloat16 hcos(__nv_bfloat16 a) { return __nv_bfloat16(cosf(a)); }
RIDGE_FN __nv_bfloat16 htanh(__nv_bfloat16 a) { return __nv_bfloat16(tanhf(a)); }
RIDGE_FN __nv_bfloat16 hfloor(__nv_bfloat16 a) { return __nv_bfloat16(floorf(a)); }
RIDGE_FN __nv_bfloat16 hceil(__nv_bfloat16 a) { return __nv_bfloat16(ceilf(a)); }
RIDGE_FN __nv_bfloat16 htrunc(__nv_bfloat16 a) { return __nv_bfloat16(truncf(a)); }
RIDGE_FN __nv_bfloat16 hrint(__nv_bfloat16 a) { return __nv_bfloat16(rintf(a)); }
RIDGE_FN __nv_bfloat16 hrcp(__nv_bfloat16 a) { return __nv_bfloat16(1.0f / (float)a); }
RIDGE_FN __nv_bfloat162 __habs2(__nv_bfloat162 a) { return ridgeBfloat2Of(ridgeWordOf(a) & 0x7fff7fffu); }
RIDGE_FN __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x / b.x, a.y / b.y); }
RIDGE_PAIR_FUNCTION(__nv_bfloat162, exp)
RIDGE_PAIR_FUNCTION(__nv_bfloat162, sqrt)
RIDGE_PAIR_FUNCTION(__nv_bfloat162, rsqrt)
RIDGE_FN bool __hisnan(__nv_bfloat16 a) { return (a.bits & 0x7fff) > 0x7f80; }
RIDGE_FN int __hisinf(__nv_bfloat16 a) { return (a.bits & 0x7fff) == 0x7f80 ? ((a.bits & 0x8000) != 0 ? -1 : 1) : 0; }
RIDGE_SMALL_COMPARES(__nv_bfloat16, __nv_bfloat162)
RIDGE_SMALL_FUNCTIONS(__nv_bfloat16, __nv_bfloat162)
RIDGE_SMALL_TO_WHOLE(__nv_bfloat16, bfloat16)
/// Cut off, or to the next one below or above: bfloat16 is the upper half of single precision.
RIDGE_FN __nv_bfloat16 __float2bfloat16_rz(float v)
{
    return v != v ? __nv_bfloat16(v) : __ushort_as_bfloat16(__builtin_bit_cast(unsigned int, v) >> 16);
}
RIDGE_FN __nv_bfloat16 __float2bfloat16_rd(float v)
{
    const __nv_bfloat16 cut = __float2bfloat16_rz(v);
    return (float)cut > v ? __ushort_as_bfloat16(cut.bits + 1) : cut;
}
RIDGE_FN __nv_bfloat16 __float2bfloat16_ru(float v)
{
    const __nv_bfloat16 cut = __float2bfloat16_rz(v);
    return (float)cut < v ? __ushort_as_bfloat16(cut.bits + 1) : cut;
}
#define RIDGE_BFLOAT_FROM(name, from, through)                                                                         \
    RIDGE_FN __nv_bfloat16 __##name##2bfloat16_rn(from v) { return __nv_bfloat16(ridgeOdd((through)v)); }              \
    RIDGE_FN __nv_bfloat16 __##name##2bfloat16_rz(from v) { return __float2bfloat16_rz(ridgeOdd((through)v)); }        \
    RIDGE_FN __nv_bfloat16 __##name##2bfloat16_rd(from v) { return __float2bfloat16_rd(ridgeOdd((through)v)); }        \
    RIDGE_FN __nv_bfloat16 __##name##2bfloat16_ru(from v) { return __float2bfloat16_ru(ridgeOdd((through)v)); }
RIDGE_BFLOAT_FROM(int, int, int)
RIDGE_BFLOAT_FROM(uint, unsigned int, unsigned int)
RIDGE_BFLOAT_FROM(short, short, int)
RIDGE_BFLOAT_FROM(ushort, unsigned short, unsigned int)
RIDGE_BFLOAT_FROM(ll, long long, long long)
RIDGE_BFLOAT_FROM(ull, unsigned long long, unsigned long long)
#define RIDGE_BFLOAT_SHUFFLE(name, argument)                                                                           \
    RIDGE_FN __nv_bfloat16 name(unsigned int mask, __nv_bfloat16 value, argument lane, int width = 32)                 \
    {                                                                                                                  \
        return __ushort_as_bfloat16((unsigned short)name(mask, (unsigned int)value.bits, lane, width));                \
    }                                                                                                                  \
    RIDGE_FN __nv_bfloat162 name(unsigned int mask, __nv_bfloat162 value, argument lane, int width = 32)               \
    {                                                                                                                  \
        return ridgeBfloat2Of(name(mask, ridgeWordOf(value), lane, width));                                            \
    }
RIDGE_BFLOAT_SHUFFLE(__shfl_sync, int)
RIDGE_BFLOAT_SHUFFLE(__shfl_up_sync, unsigned int)
RIDGE_BFLOAT_SHUFFLE(__shfl_down_sync, unsigned int)
RIDGE_BFLOAT_SHUFFLE(__shfl_xor_sync, int)
RIDGE_FN __nv_bfloat16 atomicAdd(__nv_bfloat16* at, __nv_bfloat16 value)
{
    unsigned short word = *(volatile unsigned short*)at, seen;
    do {
        seen = word;
        word = atomicCAS((unsigned short*)at, seen, __hadd(__ushort_as_bfloat16(seen), value).bits);
    } while (word != seen);
    return __ushort_as_bfloat16(seen);
}
RIDGE_FN __nv_bfloat162 atomicAdd(__nv_bfloat162* at, __nv_bfloat162 value)
{
    unsigned int word = *(volatile unsigned int*)at, seen;
    do {
        seen = word;
        word = atomicCAS((unsigned int*)at, seen, ridgeWordOf(__hadd2(ridgeBfloat2Of(seen), value)));
    } while (word != seen);
    return ridgeBfloat2Of(seen);
}
