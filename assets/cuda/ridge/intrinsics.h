// SPDX-License-Identifier: GPL-3.0-or-later
// Warp intrinsics of every type, atomics beyond the common ones, integer intrinsics, loads and stores with cache hints,
// printf, malloc and assert (CUDA C++ Programming Guide, appendix "C++ Language Extensions").
#pragma once

#define RIDGE_WIDE_SHUFFLE(name, type, argument)                                                                       \
    RIDGE_FN type name(unsigned int mask, type value, argument lane, int width = 32)                                   \
    {                                                                                                                  \
        const unsigned long long bits = __builtin_bit_cast(unsigned long long, value);                                 \
        const unsigned int low = name(mask, (unsigned int)bits, lane, width);                                          \
        const unsigned int high = name(mask, (unsigned int)(bits >> 32), lane, width);                                 \
        return __builtin_bit_cast(type, (unsigned long long)high << 32 | low);                                         \
    }
#define RIDGE_WIDE_SHUFFLES(type)                                                                                      \
    RIDGE_WIDE_SHUFFLE(__shfl_sync, type, int)                                                                         \
    RIDGE_WIDE_SHUFFLE(__shfl_up_sync, type, unsigned int)                                                             \
    RIDGE_WIDE_SHUFFLE(__shfl_down_sync, type, unsigned int)                                                           \
    RIDGE_WIDE_SHUFFLE(__shfl_xor_sync, type, int)
RIDGE_WIDE_SHUFFLES(double)
RIDGE_WIDE_SHUFFLES(long long)
RIDGE_WIDE_SHUFFLES(unsigned long long)
RIDGE_WIDE_SHUFFLES(long)
RIDGE_WIDE_SHUFFLES(unsigned long)

#if __CUDA_ARCH__ >= 800 // CUDA has them for no chip before
#define RIDGE_REDUCE(name, op, type, suffix)                                                                           \
    RIDGE_FN type name(unsigned int mask, type value)                                                                  \
    {                                                                                                                  \
        type result;                                                                                                   \
        asm volatile("redux.sync." op "." suffix " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));             \
        return result;                                                                                                 \
    }
RIDGE_REDUCE(__reduce_add_sync, "add", int, "s32")
RIDGE_REDUCE(__reduce_min_sync, "min", int, "s32")
RIDGE_REDUCE(__reduce_max_sync, "max", int, "s32")
RIDGE_REDUCE(__reduce_add_sync, "add", unsigned int, "u32")
RIDGE_REDUCE(__reduce_min_sync, "min", unsigned int, "u32")
RIDGE_REDUCE(__reduce_max_sync, "max", unsigned int, "u32")
RIDGE_REDUCE(__reduce_and_sync, "and", unsigned int, "b32")
RIDGE_REDUCE(__reduce_or_sync, "or", unsigned int, "b32")
RIDGE_REDUCE(__reduce_xor_sync, "xor", unsigned int, "b32")
#endif

/// Shorter ones become an int, as for CUDA's own overloads.
template <class T>
RIDGE_FN unsigned int ridgeMatched(T value)
{
    if constexpr (sizeof(T) < 4)
        return (unsigned int)(int)value;
    else
        return __builtin_bit_cast(unsigned int, value);
}
template <class T>
RIDGE_FN unsigned int __match_any_sync(unsigned int mask, T value)
{
    unsigned int peers;
    if constexpr (sizeof(T) == 8)
        asm volatile("match.any.sync.b64 %0, %1, %2;"
                     : "=r"(peers) : "l"(__builtin_bit_cast(unsigned long long, value)), "r"(mask));
    else
        asm volatile("match.any.sync.b32 %0, %1, %2;"
                     : "=r"(peers) : "r"(ridgeMatched(value)), "r"(mask));
    return peers;
}
template <class T>
RIDGE_FN unsigned int __match_all_sync(unsigned int mask, T value, int* all)
{
    unsigned int peers;
    int agree;
    if constexpr (sizeof(T) == 8)
        asm volatile("{.reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p;}"
                     : "=r"(peers), "=r"(agree) : "l"(__builtin_bit_cast(unsigned long long, value)), "r"(mask));
    else
        asm volatile("{.reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p;}"
                     : "=r"(peers), "=r"(agree) : "r"(ridgeMatched(value)), "r"(mask));
    *all = agree;
    return peers;
}

// ---- atomics ----------------------------------------------------------------------------------------------------------
RIDGE_FN unsigned int atomicInc(unsigned int* at, unsigned int limit) { return __nvvm_atom_inc_gen_ui(at, limit); }
RIDGE_FN unsigned int atomicDec(unsigned int* at, unsigned int limit) { return __nvvm_atom_dec_gen_ui(at, limit); }
RIDGE_FN long long atomicMin(long long* at, long long value) { return __nvvm_atom_min_gen_ll(at, value); }
RIDGE_FN long long atomicMax(long long* at, long long value) { return __nvvm_atom_max_gen_ll(at, value); }
RIDGE_FN unsigned long long atomicMin(unsigned long long* at, unsigned long long value)
{
    return __nvvm_atom_min_gen_ull(at, value);
}
RIDGE_FN unsigned long long atomicMax(unsigned long long* at, unsigned long long value)
{
    return __nvvm_atom_max_gen_ull(at, value);
}
RIDGE_FN float atomicExch(float* at, float value)
{
    return __builtin_bit_cast(float, atomicExch((unsigned int*)at, __builtin_bit_cast(unsigned int, value)));
}
RIDGE_FN unsigned short atomicCAS(unsigned short* at, unsigned short compare, unsigned short value)
{
    unsigned short old;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(at), "h"(compare), "h"(value) : "memory");
    return old;
}

// ---- integers ---------------------------------------------------------------------------------------------------------
RIDGE_FN int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
RIDGE_FN long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
RIDGE_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return __nvvm_mulhi_ull(a, b); }
RIDGE_FN int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
RIDGE_FN unsigned int __sad(int a, int b, unsigned int c) { return __nvvm_sad_i(a, b, c); }
RIDGE_FN unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) { return __nvvm_sad_ui(a, b, c); }
RIDGE_FN int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
RIDGE_FN int __clzll(long long a) { return a ? __builtin_clzll(a) : 64; }
RIDGE_FN int __ffsll(long long a) { return __builtin_ffsll(a); }
RIDGE_FN unsigned long long __brevll(unsigned long long a) { return __builtin_bitreverse64(a); }
/// prmt repeats a byte's sign where bit 3 of its selector is set; __byte_perm does not look at that bit.
RIDGE_FN unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int s)
{
    return __nvvm_prmt(a, b, s & 0x7777u);
}
#define RIDGE_FUNNEL(name, form)                                                                                       \
    RIDGE_FN unsigned int name(unsigned int low, unsigned int high, unsigned int shift)                                \
    {                                                                                                                  \
        unsigned int result;                                                                                           \
        asm("shf." form ".b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));                     \
        return result;                                                                                                 \
    }
RIDGE_FUNNEL(__funnelshift_l, "l.wrap")
RIDGE_FUNNEL(__funnelshift_lc, "l.clamp")
RIDGE_FUNNEL(__funnelshift_r, "r.wrap")
RIDGE_FUNNEL(__funnelshift_rc, "r.clamp")
#define RIDGE_DOT(name, types, a_type, c_type)                                                                         \
    RIDGE_FN c_type name(a_type a, a_type b, c_type c)                                                                 \
    {                                                                                                                  \
        c_type result;                                                                                                 \
        asm(types " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));                                        \
        return result;                                                                                                 \
    }
RIDGE_DOT(__dp4a, "dp4a.s32.s32", int, int)
RIDGE_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int)
RIDGE_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int)
RIDGE_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int)
RIDGE_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int)
RIDGE_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int)
/// The same on vectors of bytes and halves.
#define RIDGE_DOT_OF(name, a_type, b_type, word)                                                                       \
    RIDGE_FN word name(a_type a, b_type b, word c)                                                                     \
    {                                                                                                                  \
        return name(*(const word*)&a, *(const word*)&b, c);                                                            \
    }
RIDGE_DOT_OF(__dp4a, char4, char4, int)
RIDGE_DOT_OF(__dp4a, uchar4, uchar4, unsigned int)
RIDGE_DOT_OF(__dp2a_lo, short2, char4, int)
RIDGE_DOT_OF(__dp2a_hi, short2, char4, int)
RIDGE_DOT_OF(__dp2a_lo, ushort2, uchar4, unsigned int)
RIDGE_DOT_OF(__dp2a_hi, ushort2, uchar4, unsigned int)
RIDGE_BOTH long long min(long long a, long long b) { return a < b ? a : b; }
RIDGE_BOTH long long max(long long a, long long b) { return a > b ? a : b; }
RIDGE_BOTH unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
RIDGE_BOTH unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
RIDGE_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
RIDGE_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
RIDGE_BOTH double min(double a, double b) { return __builtin_fmin(a, b); }
RIDGE_BOTH double max(double a, double b) { return __builtin_fmax(a, b); }
// Mixed arguments as CUDA has them: the unsigned, the longer, the double one decides.
#define RIDGE_MIXED(type, a_type, b_type)                                                                              \
    RIDGE_BOTH type min(a_type a, b_type b) { return min((type)a, (type)b); }                                          \
    RIDGE_BOTH type max(a_type a, b_type b) { return max((type)a, (type)b); }                                          \
    RIDGE_BOTH type min(b_type a, a_type b) { return min((type)a, (type)b); }                                          \
    RIDGE_BOTH type max(b_type a, a_type b) { return max((type)a, (type)b); }
RIDGE_MIXED(unsigned int, unsigned int, int)
RIDGE_MIXED(unsigned long long, unsigned long long, long long)
RIDGE_MIXED(double, float, double)
RIDGE_BOTH long min(long a, long b) { return a < b ? a : b; }
RIDGE_BOTH long max(long a, long b) { return a > b ? a : b; }
RIDGE_BOTH unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
RIDGE_BOTH unsigned long max(unsigned long a, unsigned long b) { return a > b ? a : b; }
RIDGE_FN long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
RIDGE_FN double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
RIDGE_FN int __float2int_rn(float a) { return __nvvm_f2i_rn(a); }
RIDGE_FN int __float2int_rz(float a) { return __nvvm_f2i_rz(a); }
RIDGE_FN int __float2int_rd(float a) { return __nvvm_f2i_rm(a); }
RIDGE_FN int __float2int_ru(float a) { return __nvvm_f2i_rp(a); }
RIDGE_FN unsigned int __float2uint_rn(float a) { return __nvvm_f2ui_rn(a); }
RIDGE_FN unsigned int __float2uint_rz(float a) { return __nvvm_f2ui_rz(a); }
RIDGE_FN float __int2float_rn(int a) { return __nvvm_i2f_rn(a); }
RIDGE_FN float __uint2float_rn(unsigned int a) { return __nvvm_ui2f_rn(a); }
RIDGE_FN int __double2int_rn(double a) { return __nvvm_d2i_rn(a); }

// ---- time -------------------------------------------------------------------------------------------------------------
typedef long int clock_t; // which nvcc knows without a header
RIDGE_FN clock_t clock()
{
    int ticks;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(ticks));
    return ticks;
}
RIDGE_FN unsigned long long __globaltimer()
{
    unsigned long long ticks;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ticks));
    return ticks;
}
RIDGE_FN void __nanosleep(unsigned int time) { asm volatile("nanosleep.u32 %0;" ::"r"(time)); }
RIDGE_FN void __trap() { asm volatile("trap;"); }

// ---- addresses and hints ------------------------------------------------------------------------------------------------
RIDGE_FN size_t __cvta_generic_to_shared(const void* at)
{
    return (size_t)(__attribute__((address_space(3))) const char*)at;
}
RIDGE_FN size_t __cvta_generic_to_global(const void* at)
{
    return (size_t)(__attribute__((address_space(1))) const char*)at;
}
RIDGE_FN unsigned int __isShared(const void* at) { return __nvvm_isspacep_shared(at); }
RIDGE_FN unsigned int __isGlobal(const void* at) { return __nvvm_isspacep_global(at); }
RIDGE_FN unsigned int __isLocal(const void* at) { return __nvvm_isspacep_local(at); }

/// One load or store of up to 16 bytes with a hint: the value goes through integer registers.
#define RIDGE_HINTED(load, store, hint_load, hint_store)                                                               \
    template <class T>                                                                                                 \
    RIDGE_FN T load(const T* at)                                                                                       \
    {                                                                                                                  \
        T value;                                                                                                       \
        if constexpr (sizeof(T) == 4) {                                                                                \
            unsigned int w;                                                                                            \
            asm volatile("ld.global." hint_load ".u32 %0, [%1];" : "=r"(w) : "l"(at) : "memory");                    \
            value = __builtin_bit_cast(T, w);                                                                          \
        } else if constexpr (sizeof(T) == 8) {                                                                         \
            unsigned long long w;                                                                                      \
            asm volatile("ld.global." hint_load ".u64 %0, [%1];" : "=l"(w) : "l"(at) : "memory");                    \
            value = *(T*)&w;                                                                                           \
        } else if constexpr (sizeof(T) == 16) {                                                                        \
            ulonglong2 w;                                                                                              \
            asm volatile("ld.global." hint_load ".v2.u64 {%0,%1}, [%2];"                                              \
                         : "=l"(w.x), "=l"(w.y) : "l"(at) : "memory");                                               \
            value = *(T*)&w;                                                                                           \
        } else {                                                                                                       \
            value = *(const volatile T*)at;                                                                            \
        }                                                                                                              \
        return value;                                                                                                  \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    RIDGE_FN void store(T* at, T value)                                                                                \
    {                                                                                                                  \
        if constexpr (sizeof(T) == 4)                                                                                  \
            asm volatile("st.global." hint_store ".u32 [%0], %1;"                                                     \
                         ::"l"(at), "r"(__builtin_bit_cast(unsigned int, value)) : "memory");                        \
        else if constexpr (sizeof(T) == 8)                                                                             \
            asm volatile("st.global." hint_store ".u64 [%0], %1;"                                                     \
                         ::"l"(at), "l"(*(unsigned long long*)&value) : "memory");                                   \
        else if constexpr (sizeof(T) == 16)                                                                            \
            asm volatile("st.global." hint_store ".v2.u64 [%0], {%1,%2};"                                             \
                         ::"l"(at), "l"(((ulonglong2*)&value)->x), "l"(((ulonglong2*)&value)->y) : "memory");        \
        else                                                                                                           \
            *(volatile T*)at = value;                                                                                  \
    }
RIDGE_HINTED(__ldcg, __stcg, "cg", "cg")
RIDGE_HINTED(__ldcs, __stcs, "cs", "cs")
RIDGE_HINTED(__ldca, __stwb, "ca", "wb")
RIDGE_HINTED(__ldcv, __stwt, "cv", "wt")
RIDGE_HINTED(__ldlu, ridgeStoreLast, "lu", "wb")

// ---- runtime ------------------------------------------------------------------------------------------------------------
extern "C" {
__device__ int printf(const char* format, ...);
__device__ int vprintf(const char* format, const char* arguments);
__device__ void* malloc(size_t bytes);
__device__ void free(void* at);
__device__ void __assertfail(const char* message, const char* file, unsigned int line, const char* function,
                             size_t charSize) __attribute__((noreturn));
// The same names where host code stands in the file; nothing of it is compiled.
__host__ int printf(const char* format, ...);
__host__ void* malloc(size_t bytes) noexcept;
__host__ void free(void* at) noexcept;
__host__ void __assertfail(const char* message, const char* file, unsigned int line, const char* function,
                           size_t charSize) __attribute__((noreturn));
}
#if !__has_include(<exception>)
__device__ inline void* operator new(size_t bytes) { return malloc(bytes); }
__device__ inline void* operator new[](size_t bytes) { return malloc(bytes); }
__device__ inline void* operator new(size_t, void* at) noexcept { return at; }
__device__ inline void operator delete(void* at) noexcept { free(at); }
__device__ inline void operator delete[](void* at) noexcept { free(at); }
__device__ inline void operator delete(void* at, size_t) noexcept { free(at); }
__device__ inline void operator delete[](void* at, size_t) noexcept { free(at); }
#endif
#define assert(condition)                                                                                              \
    ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__, sizeof(char)))
#ifndef NULL
#define NULL 0
#endif
template <class T>
RIDGE_FN void* memcpy(T* to, const void* from, size_t bytes)
{
    return __builtin_memcpy((void*)to, from, bytes);
}
RIDGE_FN void* memset(void* to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }
