// SPDX-License-Identifier: GPL-3.0-or-later
// Half precision for clang without a CUDA toolkit: the names of CUDA's cuda_fp16.h (CUDA Math API, "Half Precision
// Intrinsics"), each one PTX instruction where there is one. hexp, hlog and the like go through single precision.
#pragma once

#include "../ridge/half_more.h"

#define RIDGE_HALF_FN RIDGE_FN
#define RIDGE_BITS(value) __builtin_bit_cast(unsigned short, value)
#define RIDGE_WORD(value) __builtin_bit_cast(unsigned int, value)

struct __half {
    unsigned short bits;
    __half() = default;
    RIDGE_MEMBER __half(float v) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(v)); }
    RIDGE_MEMBER __half(double v) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(v)); }
    RIDGE_MEMBER __half(int v) { asm("cvt.rn.f16.s32 %0, %1;" : "=h"(bits) : "r"(v)); }
    RIDGE_MEMBER __half(unsigned int v) { asm("cvt.rn.f16.u32 %0, %1;" : "=h"(bits) : "r"(v)); }
    RIDGE_MEMBER operator float() const
    {
        float v;
        asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(bits));
        return v;
    }
};
typedef __half half;
struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    RIDGE_MEMBER __half2(__half a, __half b) : x(a), y(b) {}
    RIDGE_MEMBER __half2(const __half2& from) { *(unsigned int*)this = *(const unsigned int*)&from; }
    RIDGE_MEMBER __half2& operator=(const __half2& from)
    {
        *(unsigned int*)this = *(const unsigned int*)&from;
        return *this;
    }
};
typedef __half2 half2;

RIDGE_FN unsigned int ridgeWordOf(__half2 v) { return *(const unsigned int*)&v; }
RIDGE_FN __half2 ridgeHalf2Of(unsigned int word)
{
    __half2 v;
    *(unsigned int*)&v = word;
    return v;
}

// ---- conversions --------------------------------------------------------------------------------------------------------
RIDGE_FN __half __float2half(float v) { return __half(v); }
RIDGE_FN __half __float2half_rn(float v) { return __half(v); }
RIDGE_FN __half __double2half(double v) { return __half(v); }
RIDGE_FN float __half2float(__half v) { return (float)v; }
RIDGE_FN __half2 __float2half2_rn(float v) { return __half2(__half(v), __half(v)); }
RIDGE_FN __half2 __floats2half2_rn(float a, float b)
{
#if __CUDA_ARCH__ >= 800
    unsigned int word;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(b), "f"(a));
    return ridgeHalf2Of(word);
#else
    return __half2(__half(a), __half(b));
#endif
}
RIDGE_FN __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
RIDGE_FN float2 __half22float2(__half2 v) { return make_float2((float)v.x, (float)v.y); }
RIDGE_FN __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
RIDGE_FN __half2 make_half2(__half a, __half b) { return __half2(a, b); }
RIDGE_FN __half2 __half2half2(__half a) { return __half2(a, a); }
RIDGE_FN __half __low2half(__half2 v) { return v.x; }
RIDGE_FN __half __high2half(__half2 v) { return v.y; }
RIDGE_FN float __low2float(__half2 v) { return (float)v.x; }
RIDGE_FN float __high2float(__half2 v) { return (float)v.y; }
RIDGE_FN __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
RIDGE_FN __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
RIDGE_FN __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
RIDGE_FN __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
RIDGE_FN __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
RIDGE_FN __half __short_as_half(short v) { return __builtin_bit_cast(__half, v); }
RIDGE_FN short __half_as_short(__half v) { return (short)v.bits; }
RIDGE_FN __half __ushort_as_half(unsigned short v) { return __builtin_bit_cast(__half, v); }
RIDGE_FN unsigned short __half_as_ushort(__half v) { return v.bits; }
RIDGE_FN __half __int2half_rn(int v) { return __half(v); }
RIDGE_FN __half __uint2half_rn(unsigned int v) { return __half(v); }

// ---- arithmetic ---------------------------------------------------------------------------------------------------------
#define RIDGE_HALF1(name, form)                                                                                        \
    RIDGE_FN __half name(__half a)                                                                                     \
    {                                                                                                                  \
        unsigned short r;                                                                                              \
        asm(form ".f16 %0, %1;" : "=h"(r) : "h"(a.bits));                                                             \
        return __ushort_as_half(r);                                                                                    \
    }
#define RIDGE_HALF2(name, name2, form)                                                                                 \
    RIDGE_FN __half name(__half a, __half b)                                                                           \
    {                                                                                                                  \
        unsigned short r;                                                                                              \
        asm(form ".f16 %0, %1, %2;" : "=h"(r) : "h"(a.bits), "h"(b.bits));                                            \
        return __ushort_as_half(r);                                                                                    \
    }                                                                                                                  \
    RIDGE_FN __half2 name2(__half2 a, __half2 b)                                                                       \
    {                                                                                                                  \
        unsigned int r;                                                                                                \
        asm(form ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(ridgeWordOf(a)), "r"(ridgeWordOf(b)));                          \
        return ridgeHalf2Of(r);                                                                                        \
    }
RIDGE_HALF2(__hadd, __hadd2, "add")
RIDGE_HALF2(__hsub, __hsub2, "sub")
RIDGE_HALF2(__hmul, __hmul2, "mul")
RIDGE_HALF2(__hadd_sat, __hadd2_sat, "add.sat")
RIDGE_HALF2(__hsub_sat, __hsub2_sat, "sub.sat")
RIDGE_HALF2(__hmul_sat, __hmul2_sat, "mul.sat")
RIDGE_HALF2(__hadd_rn, __hadd2_rn, "add.rn")
RIDGE_HALF2(__hsub_rn, __hsub2_rn, "sub.rn")
RIDGE_HALF2(__hmul_rn, __hmul2_rn, "mul.rn")
#if __CUDA_ARCH__ >= 800
RIDGE_HALF2(__hmin, __hmin2, "min")
RIDGE_HALF2(__hmax, __hmax2, "max")
RIDGE_HALF2(__hmin_nan, __hmin2_nan, "min.NaN")
RIDGE_HALF2(__hmax_nan, __hmax2_nan, "max.NaN")
#else
RIDGE_SMALL_EXTREMES(__half, __half2)
#endif
#define RIDGE_HALF_FMA(name, name2, form)                                                                              \
    RIDGE_FN __half name(__half a, __half b, __half c)                                                                 \
    {                                                                                                                  \
        unsigned short r;                                                                                              \
        asm(form ".f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.bits), "h"(b.bits), "h"(c.bits));                           \
        return __ushort_as_half(r);                                                                                    \
    }                                                                                                                  \
    RIDGE_FN __half2 name2(__half2 a, __half2 b, __half2 c)                                                            \
    {                                                                                                                  \
        unsigned int r;                                                                                                \
        asm(form ".f16x2 %0, %1, %2, %3;"                                                                             \
            : "=r"(r) : "r"(ridgeWordOf(a)), "r"(ridgeWordOf(b)), "r"(ridgeWordOf(c)));                              \
        return ridgeHalf2Of(r);                                                                                        \
    }
RIDGE_HALF_FMA(__hfma, __hfma2, "fma.rn")
RIDGE_HALF_FMA(__hfma_sat, __hfma2_sat, "fma.rn.sat")
#if __CUDA_ARCH__ >= 800
RIDGE_HALF_FMA(__hfma_relu, __hfma2_relu, "fma.rn.relu")
#else
RIDGE_SMALL_FMA_RELU(__half, __half2)
#endif
RIDGE_FN __half __hneg(__half a) { return __ushort_as_half(a.bits ^ 0x8000); }
RIDGE_FN __half __habs(__half a) { return __ushort_as_half(a.bits & 0x7fff); }
RIDGE_FN __half2 __hneg2(__half2 a) { return ridgeHalf2Of(ridgeWordOf(a) ^ 0x80008000u); }
RIDGE_FN __half2 __habs2(__half2 a) { return ridgeHalf2Of(ridgeWordOf(a) & 0x7fff7fffu); }
RIDGE_FN __half __hdiv(__half a, __half b) { return __half((float)a / (float)b); }
RIDGE_FN __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
RIDGE_FN __half operator+(__half a, __half b) { return __hadd(a, b); }
RIDGE_FN __half operator-(__half a, __half b) { return __hsub(a, b); }
RIDGE_FN __half operator*(__half a, __half b) { return __hmul(a, b); }
RIDGE_FN __half operator/(__half a, __half b) { return __hdiv(a, b); }
RIDGE_FN __half operator-(__half a) { return __hneg(a); }
RIDGE_FN __half& operator+=(__half& a, __half b) { return a = a + b; }
RIDGE_FN __half& operator-=(__half& a, __half b) { return a = a - b; }
RIDGE_FN __half& operator*=(__half& a, __half b) { return a = a * b; }
RIDGE_FN __half2 operator+(__half2 a, __half2 b) { return __hadd2(a, b); }
RIDGE_FN __half2 operator-(__half2 a, __half2 b) { return __hsub2(a, b); }
RIDGE_FN __half2 operator*(__half2 a, __half2 b) { return __hmul2(a, b); }
RIDGE_FN __half2& operator+=(__half2& a, __half2 b) { return a = a + b; }
RIDGE_FN __half2& operator-=(__half2& a, __half2 b) { return a = a - b; }
RIDGE_FN __half2& operator*=(__half2& a, __half2 b) { return a = a * b; }
RIDGE_FN __half2 operator/(__half2 a, __half2 b) { return __h2div(a, b); }
RIDGE_FN __half2 operator-(__half2 a) { return __hneg2(a); }
RIDGE_FN __half& operator/=(__half& a, __half b) { return a = a / b; }

// ---- comparisons --------------------------------------------------------------------------------------------------------
#define RIDGE_HALF_COMPARE(name, op)                                                                                   \
    RIDGE_FN bool name(__half a, __half b) { return (float)a op (float)b; }
RIDGE_HALF_COMPARE(__heq, ==)
RIDGE_HALF_COMPARE(__hlt, <)
RIDGE_HALF_COMPARE(__hle, <=)
RIDGE_HALF_COMPARE(__hgt, >)
RIDGE_HALF_COMPARE(__hge, >=)
RIDGE_HALF_COMPARE(operator==, ==)
RIDGE_HALF_COMPARE(operator!=, !=)
RIDGE_HALF_COMPARE(operator<, <)
RIDGE_HALF_COMPARE(operator<=, <=)
RIDGE_HALF_COMPARE(operator>, >)
RIDGE_HALF_COMPARE(operator>=, >=)
RIDGE_FN bool __hisnan(__half a) { return (a.bits & 0x7fff) > 0x7c00; }
RIDGE_FN int __hisinf(__half a) { return (a.bits & 0x7fff) == 0x7c00 ? ((a.bits & 0x8000) != 0 ? -1 : 1) : 0; }

// ---- functions ----------------------------------------------------------------------------------------------------------
RIDGE_FN __half hexp(__half a) { return __half(expf(a)); }
RIDGE_FN __half hexp2(__half a) { return __half(exp2f(a)); }
RIDGE_FN __half hlog(__half a) { return __half(logf(a)); }
RIDGE_FN __half hlog2(__half a) { return __half(log2f(a)); }
RIDGE_FN __half hsqrt(__half a) { return __half(sqrtf(a)); }
RIDGE_FN __half hrsqrt(__half a) { return __half(rsqrtf(a)); }
RIDGE_FN __half hrcp(__half a) { return __half(1.0f / (float)a); }
RIDGE_FN __half hsin(__half a) { return __half(sinf(a)); }
RIDGE_FN __half hcos(__half a) { return __half(cosf(a)); }
RIDGE_FN __half htanh(__half a) { return __half(tanhf(a)); }
#if __CUDA_ARCH__ >= 750
RIDGE_HALF1(htanh_approx, "tanh.approx")
#else
RIDGE_FN __half htanh_approx(__half a) { return htanh(a); }
#endif
RIDGE_FN __half hfloor(__half a) { return __half(floorf(a)); }
RIDGE_FN __half hceil(__half a) { return __half(ceilf(a)); }
RIDGE_FN __half htrunc(__half a) { return __half(truncf(a)); }
RIDGE_FN __half hrint(__half a) { return __half(rintf(a)); }
RIDGE_FN __half2 h2exp(__half2 a) { return __half2(hexp(a.x), hexp(a.y)); }
RIDGE_FN __half2 h2sqrt(__half2 a) { return __half2(hsqrt(a.x), hsqrt(a.y)); }
RIDGE_FN __half2 h2rsqrt(__half2 a) { return __half2(hrsqrt(a.x), hrsqrt(a.y)); }
RIDGE_FN __half2 h2tanh_approx(__half2 a) { return __half2(htanh_approx(a.x), htanh_approx(a.y)); }
RIDGE_SMALL_COMPARES(__half, __half2)
RIDGE_SMALL_FUNCTIONS(__half, __half2)
RIDGE_SMALL_TO_WHOLE(__half, half)
RIDGE_HALF_FROM_ALL(float, float, "f32", "f")
RIDGE_HALF_FROM_ALL(int, int, "s32", "r")
RIDGE_HALF_FROM_ALL(uint, unsigned int, "u32", "r")
RIDGE_HALF_FROM_ALL(short, short, "s16", "h")
RIDGE_HALF_FROM_ALL(ushort, unsigned short, "u16", "h")
RIDGE_HALF_FROM_ALL(ll, long long, "s64", "l")
RIDGE_HALF_FROM_ALL(ull, unsigned long long, "u64", "l")
RIDGE_HALF_FROM(short, short, "s16", "h", rn, "rn")
RIDGE_HALF_FROM(ushort, unsigned short, "u16", "h", rn, "rn")
RIDGE_HALF_FROM(ll, long long, "s64", "l", rn, "rn")
RIDGE_HALF_FROM(ull, unsigned long long, "u64", "l", rn, "rn")

// ---- warps, memory ------------------------------------------------------------------------------------------------------
#define RIDGE_HALF_SHUFFLE(name, argument)                                                                             \
    RIDGE_FN __half name(unsigned int mask, __half value, argument lane, int width = 32)                               \
    {                                                                                                                  \
        return __ushort_as_half((unsigned short)name(mask, (unsigned int)value.bits, lane, width));                    \
    }                                                                                                                  \
    RIDGE_FN __half2 name(unsigned int mask, __half2 value, argument lane, int width = 32)                             \
    {                                                                                                                  \
        return ridgeHalf2Of(name(mask, ridgeWordOf(value), lane, width));                                              \
    }
RIDGE_HALF_SHUFFLE(__shfl_sync, int)
RIDGE_HALF_SHUFFLE(__shfl_up_sync, unsigned int)
RIDGE_HALF_SHUFFLE(__shfl_down_sync, unsigned int)
RIDGE_HALF_SHUFFLE(__shfl_xor_sync, int)
RIDGE_FN __half atomicAdd(__half* at, __half value)
{
    unsigned short old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(at), "h"(value.bits) : "memory");
    return __ushort_as_half(old);
}
RIDGE_FN __half2 atomicAdd(__half2* at, __half2 value)
{
    unsigned int old;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(at), "r"(ridgeWordOf(value)) : "memory");
    return ridgeHalf2Of(old);
}
