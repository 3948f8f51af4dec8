// SPDX-License-Identifier: GPL-3.0-or-later
// What __half and __nv_bfloat16 have in common, made for each by one line in its header: comparisons of pairs and with NaN, functions
// of pairs, conversions to and from whole numbers (CUDA Math API).
#pragma once

/// A comparison is ordered: with a NaN it is false; its twin with a u is then true.
#define RIDGE_SMALL_COMPARE(T, T2, name, op, reversed)                                                                 \
    RIDGE_FN bool __h##name##u(T a, T b) { return !((float)a reversed(float) b); }                                     \
    RIDGE_FN T2 __h##name##2(T2 a, T2 b)                                                                               \
    {                                                                                                                  \
        return T2(T(__h##name(a.x, b.x) ? 1.0f : 0.0f), T(__h##name(a.y, b.y) ? 1.0f : 0.0f));                         \
    }                                                                                                                  \
    RIDGE_FN T2 __h##name##u2(T2 a, T2 b)                                                                              \
    {                                                                                                                  \
        return T2(T(__h##name##u(a.x, b.x) ? 1.0f : 0.0f), T(__h##name##u(a.y, b.y) ? 1.0f : 0.0f));                   \
    }                                                                                                                  \
    RIDGE_FN unsigned int __h##name##2_mask(T2 a, T2 b)                                                                \
    {                                                                                                                  \
        return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);                        \
    }                                                                                                                  \
    RIDGE_FN unsigned int __h##name##u2_mask(T2 a, T2 b)                                                               \
    {                                                                                                                  \
        return (__h##name##u(a.x, b.x) ? 0xffffu : 0u) | (__h##name##u(a.y, b.y) ? 0xffff0000u : 0u);                  \
    }                                                                                                                  \
    RIDGE_FN bool __hb##name##2(T2 a, T2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }                     \
    RIDGE_FN bool __hb##name##u2(T2 a, T2 b) { return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y); }
#define RIDGE_SMALL_COMPARES(T, T2)                                                                                    \
    RIDGE_FN bool __hne(T a, T b) { return (float)a < (float)b || (float)a > (float)b; }                               \
    RIDGE_FN bool __hequ(T a, T b) { return !__hne(a, b); }                                                            \
    RIDGE_FN bool __hneu(T a, T b) { return (float)a != (float)b; }                                                    \
    RIDGE_FN T2 __heq2(T2 a, T2 b) { return T2(T(a.x == b.x ? 1.0f : 0.0f), T(a.y == b.y ? 1.0f : 0.0f)); }            \
    RIDGE_FN T2 __hne2(T2 a, T2 b) { return T2(T(__hne(a.x, b.x) ? 1.0f : 0.0f), T(__hne(a.y, b.y) ? 1.0f : 0.0f)); }  \
    RIDGE_FN unsigned int __heq2_mask(T2 a, T2 b)                                                                      \
    {                                                                                                                  \
        return (a.x == b.x ? 0xffffu : 0u) | (a.y == b.y ? 0xffff0000u : 0u);                                          \
    }                                                                                                                  \
    RIDGE_FN unsigned int __hne2_mask(T2 a, T2 b)                                                                      \
    {                                                                                                                  \
        return (__hne(a.x, b.x) ? 0xffffu : 0u) | (__hne(a.y, b.y) ? 0xffff0000u : 0u);                                \
    }                                                                                                                  \
    RIDGE_FN bool __hbeq2(T2 a, T2 b) { return a.x == b.x && a.y == b.y; }                                             \
    RIDGE_FN bool __hbne2(T2 a, T2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }                                   \
    RIDGE_FN T2 __hequ2(T2 a, T2 b) { return T2(T(__hequ(a.x, b.x) ? 1.0f : 0.0f), T(__hequ(a.y, b.y) ? 1.0f : 0.0f)); }  \
    RIDGE_FN T2 __hneu2(T2 a, T2 b) { return T2(T(__hneu(a.x, b.x) ? 1.0f : 0.0f), T(__hneu(a.y, b.y) ? 1.0f : 0.0f)); }  \
    RIDGE_FN unsigned int __hequ2_mask(T2 a, T2 b)                                                                     \
    {                                                                                                                  \
        return (__hequ(a.x, b.x) ? 0xffffu : 0u) | (__hequ(a.y, b.y) ? 0xffff0000u : 0u);                              \
    }                                                                                                                  \
    RIDGE_FN unsigned int __hneu2_mask(T2 a, T2 b)                                                                     \
    {                                                                                                                  \
        return (__hneu(a.x, b.x) ? 0xffffu : 0u) | (__hneu(a.y, b.y) ? 0xffff0000u : 0u);                              \
    }                                                                                                                  \
    RIDGE_FN bool __hbequ2(T2 a, T2 b) { return __hequ(a.x, b.x) && __hequ(a.y, b.y); }                                \
    RIDGE_FN bool __hbneu2(T2 a, T2 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }                                \
    RIDGE_FN T2 __hisnan2(T2 a) { return T2(T(__hisnan(a.x) ? 1.0f : 0.0f), T(__hisnan(a.y) ? 1.0f : 0.0f)); }         \
    RIDGE_SMALL_COMPARE(T, T2, lt, <, >=)                                                                              \
    RIDGE_SMALL_COMPARE(T, T2, le, <=, >)                                                                              \
    RIDGE_SMALL_COMPARE(T, T2, gt, >, <=)                                                                              \
    RIDGE_SMALL_COMPARE(T, T2, ge, >=, <)

// For chips without the instruction, through single precision; a NaN comes out as theirs does.
#define RIDGE_SMALL_EXTREME(T, T2, name, function)                                                                     \
    RIDGE_FN T __h##name(T a, T b) { return T(function((float)a, (float)b)); }                                         \
    RIDGE_FN T __h##name##_nan(T a, T b)                                                                               \
    {                                                                                                                  \
        return a != a || b != b ? T(__builtin_bit_cast(float, 0x7fffffff)) : __h##name(a, b);                          \
    }                                                                                                                  \
    RIDGE_FN T2 __h##name##2(T2 a, T2 b) { return T2(__h##name(a.x, b.x), __h##name(a.y, b.y)); }                      \
    RIDGE_FN T2 __h##name##2_nan(T2 a, T2 b) { return T2(__h##name##_nan(a.x, b.x), __h##name##_nan(a.y, b.y)); }
#define RIDGE_SMALL_EXTREMES(T, T2)                                                                                    \
    RIDGE_SMALL_EXTREME(T, T2, min, fminf)                                                                             \
    RIDGE_SMALL_EXTREME(T, T2, max, fmaxf)
#define RIDGE_SMALL_FMA_RELU(T, T2)                                                                                    \
    RIDGE_FN T __hfma_relu(T a, T b, T c)                                                                              \
    {                                                                                                                  \
        const T r = __hfma(a, b, c);                                                                                   \
        return r > T(0.0f) || r != r ? r : T(0.0f);                                                                    \
    }                                                                                                                  \
    RIDGE_FN T2 __hfma2_relu(T2 a, T2 b, T2 c)                                                                         \
    {                                                                                                                  \
        return T2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));                                             \
    }

#define RIDGE_PAIR_FUNCTION(T2, name)                                                                                  \
    RIDGE_FN T2 h2##name(T2 a) { return T2(h##name(a.x), h##name(a.y)); }
#define RIDGE_SMALL_FUNCTIONS(T, T2)                                                                                   \
    RIDGE_FN T hlog10(T a) { return T(log10f((float)a)); }                                                             \
    RIDGE_FN T hexp10(T a) { return T(exp10f((float)a)); }                                                             \
    RIDGE_PAIR_FUNCTION(T2, log10)                                                                                     \
    RIDGE_PAIR_FUNCTION(T2, exp10)                                                                                     \
    RIDGE_PAIR_FUNCTION(T2, exp2)                                                                                      \
    RIDGE_PAIR_FUNCTION(T2, log)                                                                                       \
    RIDGE_PAIR_FUNCTION(T2, log2)                                                                                      \
    RIDGE_PAIR_FUNCTION(T2, sin)                                                                                       \
    RIDGE_PAIR_FUNCTION(T2, cos)                                                                                       \
    RIDGE_PAIR_FUNCTION(T2, rcp)                                                                                       \
    RIDGE_PAIR_FUNCTION(T2, tanh)                                                                                      \
    RIDGE_PAIR_FUNCTION(T2, floor)                                                                                     \
    RIDGE_PAIR_FUNCTION(T2, ceil)                                                                                      \
    RIDGE_PAIR_FUNCTION(T2, rint)                                                                                      \
    RIDGE_PAIR_FUNCTION(T2, trunc)                                                                                     \
    RIDGE_FN T2 __hcmadd(T2 a, T2 b, T2 c)                                                                             \
    {                                                                                                                  \
        return T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));           \
    }

/// From a small float to a whole number, by the four roundings; every value of the small float is one of single precision.
#define RIDGE_SMALL_TO(T, stem, name, to, ptx, out, rounding)                                                          \
    RIDGE_FN to __##stem##2##name##_##rounding(T a)                                                                    \
    {                                                                                                                  \
        out r;                                                                                                         \
        asm("cvt." RIDGE_ROUND_##rounding "i." ptx ".f32 %0, %1;" : RIDGE_OUT_##out(r) : "f"((float)a));             \
        return (to)r;                                                                                                  \
    }
#define RIDGE_ROUND_rn "rn"
#define RIDGE_ROUND_rz "rz"
#define RIDGE_ROUND_rd "rm"
#define RIDGE_ROUND_ru "rp"
typedef unsigned short RidgeWord16;
typedef unsigned int RidgeWord32;
typedef unsigned long long RidgeWord64;
#define RIDGE_OUT_RidgeWord16 "=h"
#define RIDGE_OUT_RidgeWord32 "=r"
#define RIDGE_OUT_RidgeWord64 "=l"
#define RIDGE_SMALL_TO_ALL(T, stem, name, to, ptx, out)                                                                \
    RIDGE_SMALL_TO(T, stem, name, to, ptx, out, rn)                                                                    \
    RIDGE_SMALL_TO(T, stem, name, to, ptx, out, rz)                                                                    \
    RIDGE_SMALL_TO(T, stem, name, to, ptx, out, rd)                                                                    \
    RIDGE_SMALL_TO(T, stem, name, to, ptx, out, ru)
#define RIDGE_SMALL_TO_WHOLE(T, stem)                                                                                  \
    RIDGE_SMALL_TO_ALL(T, stem, int, int, "s32", RidgeWord32)                                                          \
    RIDGE_SMALL_TO_ALL(T, stem, uint, unsigned int, "u32", RidgeWord32)                                                \
    RIDGE_SMALL_TO_ALL(T, stem, ll, long long, "s64", RidgeWord64)                                                     \
    RIDGE_SMALL_TO_ALL(T, stem, ull, unsigned long long, "u64", RidgeWord64)                                           \
    RIDGE_SMALL_TO_ALL(T, stem, short, short, "s16", RidgeWord16)                                                      \
    RIDGE_SMALL_TO_ALL(T, stem, ushort, unsigned short, "u16", RidgeWord16)                                            \
    RIDGE_FN signed char __##stem##2char_rz(T a) { return (signed char)max(-128, min(127, __##stem##2int_rz(a))); }    \
    RIDGE_FN unsigned char __##stem##2uchar_rz(T a) { return (unsigned char)max(0, min(255, __##stem##2int_rz(a))); }

#define RIDGE_HALF_FROM(name, from, ptx, in, rounding, mode)                                                           \
    RIDGE_FN __half __##name##2half_##rounding(from a)                                                                 \
    {                                                                                                                  \
        unsigned short r;                                                                                              \
        asm("cvt." mode ".f16." ptx " %0, %1;" : "=h"(r) : in(a));                                                    \
        return __ushort_as_half(r);                                                                                    \
    }
#define RIDGE_HALF_FROM_ALL(name, from, ptx, in)                                                                       \
    RIDGE_HALF_FROM(name, from, ptx, in, rz, "rz")                                                                     \
    RIDGE_HALF_FROM(name, from, ptx, in, rd, "rm")                                                                     \
    RIDGE_HALF_FROM(name, from, ptx, in, ru, "rp")
