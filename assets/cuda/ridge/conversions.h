// SPDX-License-Identifier: GPL-3.0-or-later
// Roundings and conversions that are one instruction each, in all four directions (CUDA Math API, "Type Casting Intrinsics",
// "Single and Double Precision Intrinsics"), and whole-number intrinsics that are seldom asked for.
#pragma once

#define RIDGE_TYPED(name, form, result, out, a_type, in)                                                               \
    RIDGE_FN result name(a_type a)                                                                                     \
    {                                                                                                                  \
        result r;                                                                                                      \
        asm(form " %0, %1;" : out(r) : in(a));                                                                        \
        return r;                                                                                                      \
    }
#define RIDGE_TO_WHOLE(name, form, result, out, a_type, in)                                                            \
    RIDGE_TYPED(name##_rd, "cvt.rmi." form, result, out, a_type, in)                                                  \
    RIDGE_TYPED(name##_ru, "cvt.rpi." form, result, out, a_type, in)
#define RIDGE_TO_FLOAT(name, form, result, out, a_type, in)                                                            \
    RIDGE_TYPED(name##_rd, "cvt.rm." form, result, out, a_type, in)                                                   \
    RIDGE_TYPED(name##_ru, "cvt.rp." form, result, out, a_type, in)
RIDGE_TO_WHOLE(__float2ll, "s64.f32", long long, "=l", float, "f")
RIDGE_TO_WHOLE(__float2ull, "u64.f32", unsigned long long, "=l", float, "f")
RIDGE_TO_WHOLE(__double2ll, "s64.f64", long long, "=l", double, "d")
RIDGE_TO_WHOLE(__double2ull, "u64.f64", unsigned long long, "=l", double, "d")
RIDGE_TO_WHOLE(__double2uint, "u32.f64", unsigned int, "=r", double, "d")
RIDGE_TYPED(__double2ull_rn, "cvt.rni.u64.f64", unsigned long long, "=l", double, "d")
RIDGE_TYPED(__double2ull_rz, "cvt.rzi.u64.f64", unsigned long long, "=l", double, "d")
RIDGE_TO_FLOAT(__ll2float, "f32.s64", float, "=f", long long, "l")
RIDGE_TO_FLOAT(__ull2float, "f32.u64", float, "=f", unsigned long long, "l")
RIDGE_TO_FLOAT(__uint2float, "f32.u32", float, "=f", unsigned int, "r")
RIDGE_TO_FLOAT(__ll2double, "f64.s64", double, "=d", long long, "l")
RIDGE_TO_FLOAT(__ull2double, "f64.u64", double, "=d", unsigned long long, "l")
// LLVM takes its own intrinsics for these as rounding to nearest.
RIDGE_TYPED(__int2float_rz, "cvt.rz.f32.s32", float, "=f", int, "r")
RIDGE_TYPED(__uint2float_rz, "cvt.rz.f32.u32", float, "=f", unsigned int, "r")
RIDGE_TYPED(__ll2float_rz, "cvt.rz.f32.s64", float, "=f", long long, "l")
RIDGE_TYPED(__ull2float_rz, "cvt.rz.f32.u64", float, "=f", unsigned long long, "l")
RIDGE_TYPED(__ll2double_rz, "cvt.rz.f64.s64", double, "=d", long long, "l")
RIDGE_TYPED(__ull2double_rz, "cvt.rz.f64.u64", double, "=d", unsigned long long, "l")

#define RIDGE_DIRECTED1(name, form, mode)                                                                              \
    RIDGE_TYPED(name##mode, form, double, "=d", double, "d")
#define RIDGE_DIRECTED2(name, form)                                                                                    \
    RIDGE_FN double name(double a, double b)                                                                           \
    {                                                                                                                  \
        double r;                                                                                                      \
        asm(form " %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b));                                                          \
        return r;                                                                                                      \
    }
RIDGE_DIRECTED2(__ddiv_rd, "div.rm.f64")
RIDGE_DIRECTED2(__ddiv_ru, "div.rp.f64")
RIDGE_DIRECTED2(__ddiv_rz, "div.rz.f64")
RIDGE_DIRECTED2(__dsub_rd, "sub.rm.f64")
RIDGE_DIRECTED2(__dsub_ru, "sub.rp.f64")
RIDGE_DIRECTED2(__dsub_rz, "sub.rz.f64")
RIDGE_DIRECTED1(__drcp, "rcp.rm.f64", _rd)
RIDGE_DIRECTED1(__drcp, "rcp.rp.f64", _ru)
RIDGE_DIRECTED1(__drcp, "rcp.rz.f64", _rz)
RIDGE_DIRECTED1(__dsqrt, "sqrt.rm.f64", _rd)
RIDGE_DIRECTED1(__dsqrt, "sqrt.rp.f64", _ru)
RIDGE_DIRECTED1(__dsqrt, "sqrt.rz.f64", _rz)
#if __CUDA_ARCH__ >= 750
RIDGE_TYPED(__tanhf, "tanh.approx.f32", float, "=f", float, "f")
#else
RIDGE_FN float __tanhf(float a) { return tanhf(a); }
#endif
RIDGE_FN float __fmaf_ieee_rn(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
RIDGE_FN float __fmaf_ieee_rz(float a, float b, float c) { return __nvvm_fma_rz_f(a, b, c); }
RIDGE_FN float __fmaf_ieee_rd(float a, float b, float c) { return __nvvm_fma_rm_f(a, b, c); }
RIDGE_FN float __fmaf_ieee_ru(float a, float b, float c) { return __nvvm_fma_rp_f(a, b, c); }

// ---- whole numbers ------------------------------------------------------------------------------------------------------
RIDGE_FN unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffffu) * (b & 0xffffffu); }
RIDGE_FN int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
RIDGE_FN int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
RIDGE_FN unsigned int __uhadd(unsigned int a, unsigned int b)
{
    return (unsigned int)(((unsigned long long)a + b) >> 1);
}
RIDGE_FN unsigned int __urhadd(unsigned int a, unsigned int b)
{
    return (unsigned int)(((unsigned long long)a + b + 1) >> 1);
}
/// The position of the offset-th bit that is set, counted from `base` upwards (downwards where the offset is negative).
RIDGE_FN unsigned int __fns(unsigned int mask, unsigned int base, int offset)
{
    if (offset == 0)
        return (mask >> (base & 31) & 1u) != 0 ? base : 0xffffffffu;
    const int step = offset > 0 ? 1 : -1;
    int left = offset > 0 ? offset : -offset;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if ((mask >> at & 1u) != 0 && --left == 0)
            return (unsigned int)at;
    return 0xffffffffu;
}
RIDGE_FN unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
RIDGE_FN unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
RIDGE_FN long long llmin(long long a, long long b) { return min(a, b); }
RIDGE_FN long long llmax(long long a, long long b) { return max(a, b); }
RIDGE_FN unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
RIDGE_FN unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

/// Three numbers at once, and a sum held against a third (CUDA Math API, "DPX").
#define RIDGE_DPX(suffix, type)                                                                                        \
    RIDGE_FN type __vimax3_##suffix(type a, type b, type c) { return max(max(a, b), c); }                              \
    RIDGE_FN type __vimin3_##suffix(type a, type b, type c) { return min(min(a, b), c); }                              \
    RIDGE_FN type __viaddmax_##suffix(type a, type b, type c) { return max((type)(a + b), c); }                        \
    RIDGE_FN type __viaddmin_##suffix(type a, type b, type c) { return min((type)(a + b), c); }                        \
    RIDGE_FN type __vibmax_##suffix(type a, type b, bool* const first)                                                 \
    {                                                                                                                  \
        *first = a >= b;                                                                                               \
        return max(a, b);                                                                                              \
    }                                                                                                                  \
    RIDGE_FN type __vibmin_##suffix(type a, type b, bool* const first)                                                 \
    {                                                                                                                  \
        *first = a <= b;                                                                                               \
        return min(a, b);                                                                                              \
    }
RIDGE_DPX(s32, int)
RIDGE_DPX(u32, unsigned int)
RIDGE_FN int __vimax_s32_relu(int a, int b) { return max(max(a, b), 0); }
RIDGE_FN int __vimin_s32_relu(int a, int b) { return max(min(a, b), 0); }
RIDGE_FN int __vimax3_s32_relu(int a, int b, int c) { return max(__vimax3_s32(a, b, c), 0); }
RIDGE_FN int __vimin3_s32_relu(int a, int b, int c) { return max(__vimin3_s32(a, b, c), 0); }
RIDGE_FN int __viaddmax_s32_relu(int a, int b, int c) { return max(__viaddmax_s32(a, b, c), 0); }
RIDGE_FN int __viaddmin_s32_relu(int a, int b, int c) { return max(__viaddmin_s32(a, b, c), 0); }
#define RIDGE_DPX_PAIR(suffix, max2, min2)                                                                             \
    RIDGE_FN unsigned int __vimax3_##suffix(unsigned int a, unsigned int b, unsigned int c)                            \
    {                                                                                                                  \
        return max2(max2(a, b), c);                                                                                    \
    }                                                                                                                  \
    RIDGE_FN unsigned int __vimin3_##suffix(unsigned int a, unsigned int b, unsigned int c)                            \
    {                                                                                                                  \
        return min2(min2(a, b), c);                                                                                    \
    }                                                                                                                  \
    RIDGE_FN unsigned int __viaddmax_##suffix(unsigned int a, unsigned int b, unsigned int c)                          \
    {                                                                                                                  \
        return max2(__vadd2(a, b), c);                                                                                 \
    }                                                                                                                  \
    RIDGE_FN unsigned int __viaddmin_##suffix(unsigned int a, unsigned int b, unsigned int c)                          \
    {                                                                                                                  \
        return min2(__vadd2(a, b), c);                                                                                 \
    }
RIDGE_DPX_PAIR(s16x2, __vmaxs2, __vmins2)
RIDGE_DPX_PAIR(u16x2, __vmaxu2, __vminu2)
RIDGE_FN unsigned int __vimax_s16x2_relu(unsigned int a, unsigned int b) { return __vmaxs2(__vmaxs2(a, b), 0); }
RIDGE_FN unsigned int __vimin_s16x2_relu(unsigned int a, unsigned int b) { return __vmaxs2(__vmins2(a, b), 0); }
RIDGE_FN unsigned int __vimax3_s16x2_relu(unsigned int a, unsigned int b, unsigned int c)
{
    return __vmaxs2(__vimax3_s16x2(a, b, c), 0);
}
RIDGE_FN unsigned int __vimin3_s16x2_relu(unsigned int a, unsigned int b, unsigned int c)
{
    return __vmaxs2(__vimin3_s16x2(a, b, c), 0);
}
RIDGE_FN unsigned int __viaddmax_s16x2_relu(unsigned int a, unsigned int b, unsigned int c)
{
    return __vmaxs2(__viaddmax_s16x2(a, b, c), 0);
}
RIDGE_FN unsigned int __viaddmin_s16x2_relu(unsigned int a, unsigned int b, unsigned int c)
{
    return __vmaxs2(__viaddmin_s16x2(a, b, c), 0);
}

// ---- addresses, barriers, control ---------------------------------------------------------------------------------------
RIDGE_FN void* __cvta_shared_to_generic(size_t at)
{
    return (void*)(__attribute__((address_space(3))) char*)(unsigned int)at;
}
RIDGE_FN void* __cvta_constant_to_generic(size_t at) { return (void*)(__attribute__((address_space(4))) char*)at; }
RIDGE_FN void* __cvta_local_to_generic(size_t at) { return (void*)(__attribute__((address_space(5))) char*)at; }
RIDGE_FN size_t __cvta_generic_to_constant(const void* at) { return (size_t)(__attribute__((address_space(4))) const char*)at; }
RIDGE_FN size_t __cvta_generic_to_local(const void* at) { return (size_t)(__attribute__((address_space(5))) const char*)at; }
RIDGE_FN void* __cvta_global_to_generic(size_t at) { return (void*)(__attribute__((address_space(1))) char*)at; }
RIDGE_FN unsigned int __isConstant(const void* at) { return __nvvm_isspacep_const(at); }
RIDGE_FN void __barrier_sync(unsigned int id) { asm volatile("bar.sync %0;" ::"r"(id) : "memory"); }
RIDGE_FN void __barrier_sync_count(unsigned int id, unsigned int count)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}
RIDGE_FN void __brkpt() { asm volatile("brkpt;"); }
RIDGE_FN unsigned int atomicInc_block(unsigned int* at, unsigned int limit) { return atomicInc(at, limit); }
RIDGE_FN unsigned int atomicInc_system(unsigned int* at, unsigned int limit) { return atomicInc(at, limit); }
RIDGE_FN unsigned int atomicDec_block(unsigned int* at, unsigned int limit) { return atomicDec(at, limit); }
RIDGE_FN unsigned int atomicDec_system(unsigned int* at, unsigned int limit) { return atomicDec(at, limit); }
