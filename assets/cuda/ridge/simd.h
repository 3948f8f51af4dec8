// SPDX-License-Identifier: GPL-3.0-or-later
// Four bytes or two halves of a word at once (CUDA Math API, "SIMD Intrinsics"), element by element; and atomics with a
// stated scope, which the simulator's memory gives to all.
#pragma once

#define RIDGE_SIMD(name, count, element, wide, expression)                                                             \
    RIDGE_FN unsigned int name(unsigned int left, unsigned int right)                                                  \
    {                                                                                                                  \
        unsigned int result = 0;                                                                                       \
        for (int i = 0; i < count; ++i) {                                                                              \
            const wide a = (element)(left >> (32 / count) * i), b = (element)(right >> (32 / count) * i);              \
            result |= ((unsigned int)(expression) & (0xffffffffu >> (32 - 32 / count))) << (32 / count) * i;           \
        }                                                                                                              \
        return result;                                                                                                 \
    }
#define RIDGE_SIMD_ALL(count, s, u)                                                                                    \
    RIDGE_SIMD(__vadd##count, count, u, int, a + b)                                                                    \
    RIDGE_SIMD(__vsub##count, count, u, int, a - b)                                                                    \
    RIDGE_SIMD(__vmaxs##count, count, s, int, a > b ? a : b)                                                           \
    RIDGE_SIMD(__vmins##count, count, s, int, a < b ? a : b)                                                           \
    RIDGE_SIMD(__vmaxu##count, count, u, int, a > b ? a : b)                                                           \
    RIDGE_SIMD(__vminu##count, count, u, int, a < b ? a : b)                                                           \
    RIDGE_SIMD(__vavgu##count, count, u, int, (a + b + 1) >> 1)                                                        \
    RIDGE_SIMD(__vavgs##count, count, s, int, (a + b + (a + b >= 0)) >> 1)                                         \
    RIDGE_SIMD(__vhaddu##count, count, u, int, (a + b) >> 1)                                                           \
    RIDGE_SIMD(__vabsdiffu##count, count, u, int, a > b ? a - b : b - a)                                               \
    RIDGE_SIMD(__vabsdiffs##count, count, s, int, a > b ? a - b : b - a)                                               \
    RIDGE_SIMD(__vcmpeq##count, count, u, int, a == b ? -1 : 0)                                                        \
    RIDGE_SIMD(__vcmpne##count, count, u, int, a != b ? -1 : 0)                                                        \
    RIDGE_SIMD(__vcmpgts##count, count, s, int, a > b ? -1 : 0)                                                        \
    RIDGE_SIMD(__vcmpges##count, count, s, int, a >= b ? -1 : 0)                                                       \
    RIDGE_SIMD(__vcmplts##count, count, s, int, a < b ? -1 : 0)                                                        \
    RIDGE_SIMD(__vcmples##count, count, s, int, a <= b ? -1 : 0)                                                       \
    RIDGE_SIMD(__vcmpgtu##count, count, u, int, a > b ? -1 : 0)                                                        \
    RIDGE_SIMD(__vcmpgeu##count, count, u, int, a >= b ? -1 : 0)                                                       \
    RIDGE_SIMD(__vcmpltu##count, count, u, int, a < b ? -1 : 0)                                                        \
    RIDGE_SIMD(__vcmpleu##count, count, u, int, a <= b ? -1 : 0)                                                       \
    RIDGE_SIMD(__vseteq##count, count, u, int, a == b)                                                                 \
    RIDGE_SIMD(__vsetne##count, count, u, int, a != b)                                                                 \
    RIDGE_SIMD(__vsetgts##count, count, s, int, a > b)                                                                 \
    RIDGE_SIMD(__vsetgtu##count, count, u, int, a > b)                                                                 \
    RIDGE_SIMD(__vsetlts##count, count, s, int, a < b)                                                                 \
    RIDGE_SIMD(__vsetltu##count, count, u, int, a < b)                                                                 \
    RIDGE_SIMD(__vsetges##count, count, s, int, a >= b)                                                                \
    RIDGE_SIMD(__vsetgeu##count, count, u, int, a >= b)                                                                \
    RIDGE_SIMD(__vsetles##count, count, s, int, a <= b)                                                                \
    RIDGE_SIMD(__vsetleu##count, count, u, int, a <= b)                                                                \
    RIDGE_SIMD(__vaddus##count, count, u, int, min(a + b, (int)(u)~0))                                                 \
    RIDGE_SIMD(__vsubus##count, count, u, int, max(a - b, 0))                                                          \
    RIDGE_SIMD(__vaddss##count, count, s, int, max(min(a + b, (int)((u)~0 >> 1)), -(int)((u)~0 >> 1) - 1))             \
    RIDGE_SIMD(__vsubss##count, count, s, int, max(min(a - b, (int)((u)~0 >> 1)), -(int)((u)~0 >> 1) - 1))             \
    RIDGE_FN unsigned int __vneg##count(unsigned int a) { return __vsub##count(0u, a); }                               \
    RIDGE_FN unsigned int __vabs##count(unsigned int a) { return __vmaxs##count(a, __vneg##count(a)); }                \
    RIDGE_FN unsigned int __vnegss##count(unsigned int a) { return __vsubss##count(0u, a); }                           \
    RIDGE_FN unsigned int __vabsss##count(unsigned int a) { return __vmaxs##count(a, __vnegss##count(a)); }            \
    RIDGE_FN unsigned int ridgeSum##count(unsigned int a)                                                              \
    {                                                                                                                  \
        unsigned int sum = 0;                                                                                          \
        for (int i = 0; i < count; ++i)                                                                                \
            sum += (u)(a >> (32 / count) * i);                                                                         \
        return sum;                                                                                                    \
    }                                                                                                                  \
    RIDGE_FN unsigned int __vsadu##count(unsigned int a, unsigned int b) { return ridgeSum##count(__vabsdiffu##count(a, b)); } \
    RIDGE_FN unsigned int __vsads##count(unsigned int a, unsigned int b) { return ridgeSum##count(__vabsdiffs##count(a, b)); }
RIDGE_SIMD_ALL(4, signed char, unsigned char)
RIDGE_SIMD_ALL(2, short, unsigned short)

/// The extreme of each half, and which half of `a` it was (either where they are equal).
#define RIDGE_WHICH(name, half, op)                                                                                    \
    RIDGE_FN unsigned int __vib##name(unsigned int a, unsigned int b, bool* high, bool* low)                           \
    {                                                                                                                  \
        *high = (half)(a >> 16) op(half)(b >> 16);                                                                     \
        *low = (half)a op(half) b;                                                                                     \
        return (*high ? a & 0xffff0000u : b & 0xffff0000u) | (*low ? a & 0xffffu : b & 0xffffu);                       \
    }
RIDGE_WHICH(max_s16x2, short, >=)
RIDGE_WHICH(min_s16x2, short, <=)
RIDGE_WHICH(max_u16x2, unsigned short, >=)
RIDGE_WHICH(min_u16x2, unsigned short, <=)

#define RIDGE_SCOPED(name)                                                                                             \
    template <class T, class V>                                                                                        \
    RIDGE_FN T name##_block(T* at, V value)                                                                            \
    {                                                                                                                  \
        return name(at, (T)value);                                                                                     \
    }                                                                                                                  \
    template <class T, class V>                                                                                        \
    RIDGE_FN T name##_system(T* at, V value)                                                                           \
    {                                                                                                                  \
        return name(at, (T)value);                                                                                     \
    }
RIDGE_SCOPED(atomicAdd)
RIDGE_SCOPED(atomicSub)
RIDGE_SCOPED(atomicMin)
RIDGE_SCOPED(atomicMax)
RIDGE_SCOPED(atomicAnd)
RIDGE_SCOPED(atomicOr)
RIDGE_SCOPED(atomicXor)
RIDGE_SCOPED(atomicExch)
template <class T>
RIDGE_FN T atomicCAS_block(T* at, T compare, T value)
{
    return atomicCAS(at, compare, value);
}
template <class T>
RIDGE_FN T atomicCAS_system(T* at, T compare, T value)
{
    return atomicCAS(at, compare, value);
}
