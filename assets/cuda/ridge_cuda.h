// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of CUDA C++ that the lessons use, for a clang that has no CUDA toolkit beside it. The compiler front door
// (modules/gpu/compile) includes it before the kernel; NVRTC and nvcc bring their own and never see this file.
//
// Written from the CUDA C++ Programming Guide (built-in variables and types, warp intrinsics, atomics) and the NVVM
// intrinsics that clang documents. Mathematical functions are our own (ridge/math.h states their errors); half precision,
// bfloat16, wmma, CUB, cuRAND, pipelines and cooperative groups lie in include/ under the names that CUDA gives them.
#pragma once
#pragma clang system_header

#if !defined(__clang__) || !defined(__CUDA__) || !defined(__NVPTX__)
#error "ridge_cuda.h is for clang compiling CUDA device code"
#endif

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#if __has_attribute(grid_constant) // clang 20; before, the address of such a parameter is that of a copy
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __grid_constant__
#endif
#if __CUDA_ARCH__ < 900 // no chip before 9.0 has clusters; for newer ones clang is not asked (compile/clang.cpp)
#define __cluster_dims__(...)
#endif
// Memory that host and device share is the device's own here: there is no host.
#define __managed__ __device__
#define __CUDACC__ 1

// No debug line inside these helpers: a load must show the learner's line, not ours.
#define RIDGE_FN static __inline__ __attribute__((device, always_inline, nodebug))
#define RIDGE_BOTH static __inline__ __attribute__((host, device, always_inline, nodebug))
#define RIDGE_MEMBER __inline__ __attribute__((host, device, always_inline, nodebug))

typedef unsigned long size_t;

// ---- built-in variables ---------------------------------------------------------------------------------------------
// A property reads the special register at each use, as threadIdx.x of CUDA does.
struct uint3;
struct dim3;
#define RIDGE_REGISTER3(type, prefix)                                                                                  \
    struct type {                                                                                                      \
        __declspec(property(get = getX)) unsigned int x;                                                               \
        __declspec(property(get = getY)) unsigned int y;                                                               \
        __declspec(property(get = getZ)) unsigned int z;                                                               \
        RIDGE_FN unsigned int getX() { return prefix##_x(); }                                                          \
        RIDGE_FN unsigned int getY() { return prefix##_y(); }                                                          \
        RIDGE_FN unsigned int getZ() { return prefix##_z(); }                                                          \
        __inline__ __attribute__((device)) operator uint3() const;                                                     \
        __inline__ __attribute__((device)) operator dim3() const;                                                      \
    }
RIDGE_REGISTER3(RidgeThreadIdx, __nvvm_read_ptx_sreg_tid);
RIDGE_REGISTER3(RidgeBlockIdx, __nvvm_read_ptx_sreg_ctaid);
RIDGE_REGISTER3(RidgeBlockDim, __nvvm_read_ptx_sreg_ntid);
RIDGE_REGISTER3(RidgeGridDim, __nvvm_read_ptx_sreg_nctaid);
extern const __device__ __attribute__((weak)) RidgeThreadIdx threadIdx;
extern const __device__ __attribute__((weak)) RidgeBlockIdx blockIdx;
extern const __device__ __attribute__((weak)) RidgeBlockDim blockDim;
extern const __device__ __attribute__((weak)) RidgeGridDim gridDim;
constexpr int warpSize = 32;

// ---- vector types ---------------------------------------------------------------------------------------------------
// Aggregates, as CUDA's are: constants, nested braces and constexpr need them to have no constructor. Copied through a
// hardware vector nevertheless: clang splits a plain struct of four floats into 4-byte loads wherever the memory was
// declared as floats, and a lesson about 16-byte loads would measure something else. So the assignment is written out,
// and an empty last member's copy constructor moves the whole. A union may not be copied with such a member:
// RIDGE_PLAIN_VECTORS leaves both out.
#ifdef RIDGE_PLAIN_VECTORS
#define RIDGE_VECTOR_COPY(type, element, count, ...)
#else
template <class Pack>
struct RidgeVectorCopy {
    RidgeVectorCopy() = default;
    RIDGE_MEMBER constexpr RidgeVectorCopy(const RidgeVectorCopy& from)
    {
        if (!__builtin_is_constant_evaluated())
            *(Pack*)this = *(const Pack*)&from;
    }
};
#define RIDGE_VECTOR_COPY(type, element, count, ...)                                                                   \
    typedef element RidgePack __attribute__((ext_vector_type(count)));                                                 \
    [[no_unique_address]] RidgeVectorCopy<RidgePack> ridgeCopy;                                                        \
    RIDGE_MEMBER constexpr type& operator=(const type& from)                                                           \
    {                                                                                                                  \
        if (__builtin_is_constant_evaluated()) {                                                                       \
            __VA_ARGS__;                                                                                               \
        } else {                                                                                                       \
            *(RidgePack*)this = *(const RidgePack*)&from;                                                              \
        }                                                                                                              \
        return *this;                                                                                                  \
    }
#endif
// A lane moves 16 bytes at most: a vector of four 8-byte numbers stays a plain struct.
#define RIDGE_WIDE4(element, name, suffix, alignment)                                                                  \
    struct __align__(alignment) name##4##suffix {                                                                      \
        element x, y, z, w;                                                                                            \
    };                                                                                                                 \
    RIDGE_BOTH name##4##suffix make_##name##4##suffix(element x, element y, element z, element w)                      \
    {                                                                                                                  \
        return name##4##suffix{x, y, z, w};                                                                            \
    }
#define RIDGE_VECTORS(element, name)                                                                                   \
    struct name##1 {                                                                                                   \
        element x;                                                                                                     \
    };                                                                                                                 \
    struct __align__(2 * sizeof(element)) name##2 {                                                                    \
        element x, y;                                                                                                  \
        RIDGE_VECTOR_COPY(name##2, element, 2, x = from.x, y = from.y)                                                 \
    };                                                                                                                 \
    struct name##3 {                                                                                                   \
        element x, y, z;                                                                                               \
    };                                                                                                                 \
    RIDGE_BOTH name##1 make_##name##1(element x) { return name##1{x}; }                                                \
    RIDGE_BOTH name##2 make_##name##2(element x, element y) { return name##2{x, y}; }                                  \
    RIDGE_BOTH name##3 make_##name##3(element x, element y, element z) { return name##3{x, y, z}; }
#define RIDGE_SHORT_VECTORS(element, name)                                                                             \
    RIDGE_VECTORS(element, name)                                                                                       \
    struct __align__(4 * sizeof(element)) name##4 {                                                                    \
        element x, y, z, w;                                                                                            \
        RIDGE_VECTOR_COPY(name##4, element, 4, x = from.x, y = from.y, z = from.z, w = from.w)                         \
    };                                                                                                                 \
    RIDGE_BOTH name##4 make_##name##4(element x, element y, element z, element w) { return name##4{x, y, z, w}; }
#define RIDGE_WIDE_VECTORS(element, name)                                                                              \
    RIDGE_VECTORS(element, name)                                                                                       \
    RIDGE_WIDE4(element, name, , 16)                                                                                   \
    RIDGE_WIDE4(element, name, _16a, 16)                                                                               \
    RIDGE_WIDE4(element, name, _32a, 32)
RIDGE_SHORT_VECTORS(signed char, char)
RIDGE_SHORT_VECTORS(unsigned char, uchar)
RIDGE_SHORT_VECTORS(short, short)
RIDGE_SHORT_VECTORS(unsigned short, ushort)
RIDGE_SHORT_VECTORS(int, int)
RIDGE_SHORT_VECTORS(unsigned int, uint)
RIDGE_SHORT_VECTORS(float, float)
RIDGE_WIDE_VECTORS(double, double)
RIDGE_WIDE_VECTORS(long, long)
RIDGE_WIDE_VECTORS(unsigned long, ulong)
RIDGE_WIDE_VECTORS(long long, longlong)
RIDGE_WIDE_VECTORS(unsigned long long, ulonglong)

struct dim3 {
    unsigned int x, y, z;
    RIDGE_MEMBER constexpr dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1) : x(a), y(b), z(c) {}
    RIDGE_MEMBER dim3(uint3 from) : x(from.x), y(from.y), z(from.z) {}
    RIDGE_MEMBER operator uint3() const { return uint3{x, y, z}; }
};
#define RIDGE_REGISTER_VALUES(type)                                                                                    \
    __inline__ __attribute__((device)) type::operator uint3() const { return uint3{getX(), getY(), getZ()}; }          \
    __inline__ __attribute__((device)) type::operator dim3() const { return dim3(getX(), getY(), getZ()); }
RIDGE_REGISTER_VALUES(RidgeThreadIdx)
RIDGE_REGISTER_VALUES(RidgeBlockIdx)
RIDGE_REGISTER_VALUES(RidgeBlockDim)
RIDGE_REGISTER_VALUES(RidgeGridDim)

// ---- barriers, fences, warp intrinsics ------------------------------------------------------------------------------
// Clang's own intrinsics do not tell its alias analysis that other threads write shared memory while a thread waits: a
// load of a static __shared__ variable moves above the barrier (seen with clang 14 -O3). Assembly with a clobber does.
RIDGE_FN void ridge_syncthreads() { asm volatile("bar.sync 0;" ::: "memory"); }
#define __syncthreads() ridge_syncthreads()
RIDGE_FN void __syncwarp(unsigned int mask = 0xffffffffu) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }
RIDGE_FN int ridge_syncthreads_count(int predicate)
{
    int result;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
                 : "=r"(result) : "r"(predicate) : "memory");
    return result;
}
RIDGE_FN int ridge_syncthreads_and(int predicate)
{
    int result;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.and.pred q, 0, p; selp.s32 %0, 1, 0, q; }"
                 : "=r"(result) : "r"(predicate) : "memory");
    return result;
}
RIDGE_FN int ridge_syncthreads_or(int predicate)
{
    int result;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.or.pred q, 0, p; selp.s32 %0, 1, 0, q; }"
                 : "=r"(result) : "r"(predicate) : "memory");
    return result;
}
#define __syncthreads_count(p) ridge_syncthreads_count(p)
#define __syncthreads_and(p) ridge_syncthreads_and(p)
#define __syncthreads_or(p) ridge_syncthreads_or(p)
RIDGE_FN void __threadfence_block() { __nvvm_membar_cta(); }
RIDGE_FN void __threadfence() { __nvvm_membar_gl(); }
RIDGE_FN void __threadfence_system() { __nvvm_membar_sys(); }

RIDGE_FN unsigned int __activemask()
{
    unsigned int mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
RIDGE_FN unsigned int __ballot_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_ballot_sync(mask, predicate != 0);
}
RIDGE_FN int __any_sync(unsigned int mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate != 0); }
RIDGE_FN int __all_sync(unsigned int mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate != 0); }

// The last operand packs the segment (32 - width) and the clamp of the PTX instruction shfl.sync.
#define RIDGE_SHUFFLE(name, op, argument, clamp)                                                                       \
    RIDGE_FN int name(unsigned int mask, int value, argument lane, int width = 32)                                     \
    {                                                                                                                  \
        return __nvvm_shfl_sync_##op##_i32(mask, value, lane, ((32 - width) << 8) | clamp);                            \
    }                                                                                                                  \
    RIDGE_FN unsigned int name(unsigned int mask, unsigned int value, argument lane, int width = 32)                   \
    {                                                                                                                  \
        return __nvvm_shfl_sync_##op##_i32(mask, value, lane, ((32 - width) << 8) | clamp);                            \
    }                                                                                                                  \
    RIDGE_FN float name(unsigned int mask, float value, argument lane, int width = 32)                                 \
    {                                                                                                                  \
        return __nvvm_shfl_sync_##op##_f32(mask, value, lane, ((32 - width) << 8) | clamp);                            \
    }
RIDGE_SHUFFLE(__shfl_sync, idx, int, 0x1f)
RIDGE_SHUFFLE(__shfl_up_sync, up, unsigned int, 0)
RIDGE_SHUFFLE(__shfl_down_sync, down, unsigned int, 0x1f)
RIDGE_SHUFFLE(__shfl_xor_sync, bfly, int, 0x1f)

// ---- atomics --------------------------------------------------------------------------------------------------------
// The intrinsics know signed types only; these operations do not look at the sign.
#define RIDGE_ATOMIC(type, bits, suffix)                                                                               \
    RIDGE_FN type atomicAdd(type* at, type value) { return __nvvm_atom_add_gen_##suffix((bits*)at, value); }           \
    RIDGE_FN type atomicExch(type* at, type value) { return __nvvm_atom_xchg_gen_##suffix((bits*)at, value); }         \
    RIDGE_FN type atomicAnd(type* at, type value) { return __nvvm_atom_and_gen_##suffix((bits*)at, value); }           \
    RIDGE_FN type atomicOr(type* at, type value) { return __nvvm_atom_or_gen_##suffix((bits*)at, value); }             \
    RIDGE_FN type atomicXor(type* at, type value) { return __nvvm_atom_xor_gen_##suffix((bits*)at, value); }           \
    RIDGE_FN type atomicCAS(type* at, type compare, type value)                                                        \
    {                                                                                                                  \
        return __nvvm_atom_cas_gen_##suffix((bits*)at, compare, value);                                                \
    }
RIDGE_ATOMIC(int, int, i)
RIDGE_ATOMIC(unsigned int, int, i)
RIDGE_ATOMIC(unsigned long long, long long, ll)
RIDGE_FN int atomicSub(int* at, int value) { return atomicAdd(at, -value); }
RIDGE_FN unsigned int atomicSub(unsigned int* at, unsigned int value) { return atomicAdd(at, 0u - value); }
RIDGE_FN float atomicAdd(float* at, float value) { return __nvvm_atom_add_gen_f(at, value); }
RIDGE_FN double atomicAdd(double* at, double value) { return __nvvm_atom_add_gen_d(at, value); }
RIDGE_FN int atomicMin(int* at, int value) { return __nvvm_atom_min_gen_i(at, value); }
RIDGE_FN int atomicMax(int* at, int value) { return __nvvm_atom_max_gen_i(at, value); }
RIDGE_FN unsigned int atomicMin(unsigned int* at, unsigned int value) { return __nvvm_atom_min_gen_ui(at, value); }
RIDGE_FN unsigned int atomicMax(unsigned int* at, unsigned int value) { return __nvvm_atom_max_gen_ui(at, value); }

// ---- arithmetic that is one instruction -----------------------------------------------------------------------------
RIDGE_FN float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
RIDGE_FN double fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
// Never merged into an fma, says the CUDA Math API; clang's own intrinsics are.
#define RIDGE_UNMERGED(name, form, type, in)                                                                           \
    RIDGE_FN type name(type a, type b)                                                                                 \
    {                                                                                                                  \
        type r;                                                                                                        \
        asm(form " %0, %1, %2;" : "=" in(r) : in(a), in(b));                                                          \
        return r;                                                                                                      \
    }
RIDGE_UNMERGED(__fmul_rn, "mul.rn.f32", float, "f")
RIDGE_UNMERGED(__fadd_rn, "add.rn.f32", float, "f")
RIDGE_UNMERGED(__fsub_rn, "sub.rn.f32", float, "f")
RIDGE_UNMERGED(__dmul_rn, "mul.rn.f64", double, "d")
RIDGE_UNMERGED(__dadd_rn, "add.rn.f64", double, "d")
RIDGE_UNMERGED(__dsub_rn, "sub.rn.f64", double, "d")
RIDGE_FN float fabsf(float a) { return __builtin_fabsf(a); }
RIDGE_FN float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
RIDGE_FN float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
RIDGE_FN float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
RIDGE_FN float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
RIDGE_FN float __expf(float a) { return __nvvm_ex2_approx_f(a * 1.4426950408889634f); }
RIDGE_FN float __log2f(float a) { return __nvvm_lg2_approx_f(a); }
RIDGE_FN float __logf(float a) { return __nvvm_lg2_approx_f(a) * 0.6931471805599453f; }
RIDGE_FN float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
RIDGE_FN float floorf(float a) { return __nvvm_floor_f(a); }
RIDGE_FN float ceilf(float a) { return __nvvm_ceil_f(a); }

RIDGE_BOTH int min(int a, int b) { return a < b ? a : b; }
RIDGE_BOTH int max(int a, int b) { return a > b ? a : b; }
RIDGE_BOTH unsigned int min(unsigned int a, unsigned int b) { return a < b ? a : b; }
RIDGE_BOTH unsigned int max(unsigned int a, unsigned int b) { return a > b ? a : b; }
RIDGE_FN int abs(int a) { return a < 0 ? -a : a; }
RIDGE_FN int __popc(unsigned int a) { return __builtin_popcount(a); }
RIDGE_FN int __clz(int a) { return a ? __builtin_clz(a) : 32; }
RIDGE_FN int __ffs(int a) { return __builtin_ffs(a); }
RIDGE_FN unsigned int __brev(unsigned int a) { return __builtin_bitreverse32(a); }
RIDGE_FN unsigned int __umulhi(unsigned int a, unsigned int b) { return __nvvm_mulhi_ui(a, b); }

RIDGE_FN int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
RIDGE_FN unsigned int __float_as_uint(float a) { return __builtin_bit_cast(unsigned int, a); }
RIDGE_FN float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
RIDGE_FN float __uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }

RIDGE_FN long long clock64()
{
    long long ticks;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(ticks));
    return ticks;
}

template <class T>
RIDGE_FN T __ldg(const T* at)
{
    return *at;
}

// clang makes no code for the builtin. Always inlined, so that the memory is the caller's.
RIDGE_FN void* ridgeStack(size_t bytes)
{
    void* at;
    asm volatile("alloca.u64 %0, %1, 16;\n\tcvta.local.u64 %0, %0;" : "=&l"(at) : "l"(bytes) : "memory");
    return at;
}
#define alloca(bytes) ridgeStack(bytes)

#include "ridge/intrinsics.h"
#include "ridge/math.h"
#include "ridge/math_circle.h"
#include "ridge/math_more.h"
#include "ridge/math_quotient.h"
#include "ridge/math_error.h"
#include "ridge/math_gamma.h"
#include "ridge/math_rest.h"
#include "ridge/overloads.h"
#include "ridge/simd.h"
#include "ridge/conversions.h"
#include "ridge/texture.h"
// Clang has a <new> of its own, which needs the system's: the second header tells whether there is one.
#if __has_include(<new>) && __has_include(<exception>)
#include <new>
#endif
#ifdef RIDGE_WIDE_INTEGERS
#include "ridge/wide_integer.h"
#endif
#ifdef RIDGE_HOST_CODE
#include "ridge/host.h"
#endif
