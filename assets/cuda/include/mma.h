// SPDX-License-Identifier: GPL-3.0-or-later
// Warp matrix functions under the names of CUDA's mma.h (CUDA C++ Programming Guide, "Warp Matrix Functions"): f16 in all three
// shapes with f16 or f32 accumulators, bf16, s8 and u8 in all three, tf32 as 16x16x8, f64 as 8x8x4,
// 4-bit elements as 8x8x32 and bits as 8x8x128. bf16, tf32, f64 and the bits' and are there from compute capability 8.0 on.
#pragma once

#include "cuda_bf16.h"

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct s4;
struct u4;
struct b1;
} // namespace precision
#if __CUDA_ARCH__ >= 800
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
#else
enum bmmaBitOp { bmmaBitOpXOR = 1 };
#endif
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

/// Elements a lane holds of type T, and the registers they fill.
template <class Use, int M, int N, int K, class T>
struct RidgeShape;
#define RIDGE_FRAGMENT(use, m, n, k, type, element, count)                                                             \
    template <>                                                                                                        \
    struct RidgeShape<use, m, n, k, type> {                                                                            \
        typedef element Element;                                                                                       \
        static constexpr int elements = count;                                                                         \
    };
#define RIDGE_SHAPES(m, n, k)                                                                                          \
    RIDGE_FRAGMENT(matrix_a, m, n, k, __half, __half, 16)                                                              \
    RIDGE_FRAGMENT(matrix_b, m, n, k, __half, __half, 16)                                                              \
    RIDGE_FRAGMENT(accumulator, m, n, k, __half, __half, 8)                                                            \
    RIDGE_FRAGMENT(accumulator, m, n, k, float, float, 8)
RIDGE_SHAPES(16, 16, 16)
RIDGE_SHAPES(32, 8, 16)
RIDGE_SHAPES(8, 32, 16)
RIDGE_FRAGMENT(matrix_a, 16, 16, 16, signed char, signed char, 8)
RIDGE_FRAGMENT(matrix_b, 16, 16, 16, signed char, signed char, 8)
RIDGE_FRAGMENT(matrix_a, 16, 16, 16, unsigned char, unsigned char, 8)
RIDGE_FRAGMENT(matrix_b, 16, 16, 16, unsigned char, unsigned char, 8)
RIDGE_FRAGMENT(accumulator, 16, 16, 16, int, int, 8)
#if __CUDA_ARCH__ >= 800
RIDGE_FRAGMENT(matrix_a, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, 8)
RIDGE_FRAGMENT(matrix_b, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, 8)
RIDGE_FRAGMENT(matrix_a, 16, 16, 8, precision::tf32, float, 4)
RIDGE_FRAGMENT(matrix_b, 16, 16, 8, precision::tf32, float, 4)
RIDGE_FRAGMENT(accumulator, 16, 16, 8, float, float, 8)
RIDGE_FRAGMENT(matrix_a, 8, 8, 4, double, double, 1)
RIDGE_FRAGMENT(matrix_b, 8, 8, 4, double, double, 1)
RIDGE_FRAGMENT(accumulator, 8, 8, 4, double, double, 2)
#endif
#define RIDGE_TALL_AND_WIDE(type, large, small)                                                                        \
    RIDGE_FRAGMENT(matrix_a, 32, 8, 16, type, type, large)                                                             \
    RIDGE_FRAGMENT(matrix_b, 32, 8, 16, type, type, small)                                                             \
    RIDGE_FRAGMENT(matrix_a, 8, 32, 16, type, type, small)                                                             \
    RIDGE_FRAGMENT(matrix_b, 8, 32, 16, type, type, large)
RIDGE_TALL_AND_WIDE(signed char, 16, 4)
RIDGE_TALL_AND_WIDE(unsigned char, 16, 4)
RIDGE_FRAGMENT(accumulator, 32, 8, 16, int, int, 8)
RIDGE_FRAGMENT(accumulator, 8, 32, 16, int, int, 8)
#if __CUDA_ARCH__ >= 800
RIDGE_TALL_AND_WIDE(__nv_bfloat16, 16, 4)
#endif

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
public:
    typedef typename RidgeShape<Use, M, N, K, T>::Element element_type;
    static constexpr int num_elements = RidgeShape<Use, M, N, K, T>::elements;
    static constexpr int num_storage_elements = num_elements;
    element_type x[num_elements];
};

template <class Use, int M, int N, int K, class T, class Layout, class V>
RIDGE_FN void fill_fragment(fragment<Use, M, N, K, T, Layout>& f, V value)
{
    for (int i = 0; i < f.num_elements; ++i)
        f.x[i] = value;
}
#if __CUDA_ARCH__ >= 800
RIDGE_FN float __float_to_tf32(float v)
{
    unsigned int bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v));
    return __uint_as_float(bits);
}

#define RIDGE_DOUBLE_LOADER(use, letter, layout, order)                                                                \
    RIDGE_FN void load_matrix_sync(fragment<use, 8, 8, 4, double, layout>& f, const double* at, unsigned int stride)   \
    {                                                                                                                  \
        asm volatile("wmma.load." letter ".sync.aligned." order ".m8n8k4.f64 {%0}, [%1], %2;"                         \
                     : "=d"(f.x[0]) : "l"(at), "r"(stride) : "memory");                                              \
    }
RIDGE_DOUBLE_LOADER(matrix_a, "a", row_major, "row")
RIDGE_DOUBLE_LOADER(matrix_a, "a", col_major, "col")
RIDGE_DOUBLE_LOADER(matrix_b, "b", row_major, "row")
RIDGE_DOUBLE_LOADER(matrix_b, "b", col_major, "col")
RIDGE_FN void load_matrix_sync(fragment<accumulator, 8, 8, 4, double>& f, const double* at, unsigned int stride,
                               layout_t layout)
{
    if (layout == mem_row_major)
        asm volatile("wmma.load.c.sync.aligned.row.m8n8k4.f64 {%0,%1}, [%2], %3;"
                     : "=d"(f.x[0]), "=d"(f.x[1]) : "l"(at), "r"(stride) : "memory");
    else
        asm volatile("wmma.load.c.sync.aligned.col.m8n8k4.f64 {%0,%1}, [%2], %3;"
                     : "=d"(f.x[0]), "=d"(f.x[1]) : "l"(at), "r"(stride) : "memory");
}
RIDGE_FN void store_matrix_sync(double* at, const fragment<accumulator, 8, 8, 4, double>& f, unsigned int stride,
                                layout_t layout)
{
    if (layout == mem_row_major)
        asm volatile("wmma.store.d.sync.aligned.row.m8n8k4.f64 [%2], {%0,%1}, %3;" ::"d"(f.x[0]), "d"(f.x[1]), "l"(at),
                     "r"(stride) : "memory");
    else
        asm volatile("wmma.store.d.sync.aligned.col.m8n8k4.f64 [%2], {%0,%1}, %3;" ::"d"(f.x[0]), "d"(f.x[1]), "l"(at),
                     "r"(stride) : "memory");
}
#define RIDGE_DOUBLE_PRODUCT(layoutA, orderA, layoutB, orderB)                                                         \
    RIDGE_FN void mma_sync(fragment<accumulator, 8, 8, 4, double>& d,                                                  \
                           const fragment<matrix_a, 8, 8, 4, double, layoutA>& a,                                      \
                           const fragment<matrix_b, 8, 8, 4, double, layoutB>& b,                                      \
                           const fragment<accumulator, 8, 8, 4, double>& c)                                            \
    {                                                                                                                  \
        double r0, r1;                                                                                                 \
        asm volatile("wmma.mma.sync.aligned." orderA "." orderB                                                        \
                     ".m8n8k4.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"                                           \
                     : "=d"(r0), "=d"(r1) : "d"(a.x[0]), "d"(b.x[0]), "d"(c.x[0]), "d"(c.x[1]));                      \
        d.x[0] = r0;                                                                                                   \
        d.x[1] = r1;                                                                                                   \
    }
RIDGE_DOUBLE_PRODUCT(row_major, "row", row_major, "row")
RIDGE_DOUBLE_PRODUCT(row_major, "row", col_major, "col")
RIDGE_DOUBLE_PRODUCT(col_major, "col", row_major, "row")
RIDGE_DOUBLE_PRODUCT(col_major, "col", col_major, "col")
#endif

/// The registers of a fragment.
template <int Count>
struct RidgeWords {
    unsigned int w[Count];
};
template <class F>
RIDGE_FN auto ridgeWords(const F& f)
{
    return *(const RidgeWords<sizeof(f.x) / 4>*)f.x;
}

#define RIDGE_LOAD8(text)                                                                                              \
    asm volatile(text " {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"                                                         \
                 : "=r"(r.w[0]), "=r"(r.w[1]), "=r"(r.w[2]), "=r"(r.w[3]), "=r"(r.w[4]), "=r"(r.w[5]), "=r"(r.w[6]),  \
                   "=r"(r.w[7])                                                                                        \
                 : "l"(at), "r"(stride)                                                                                \
                 : "memory")
#define RIDGE_LOAD4(text)                                                                                              \
    asm volatile(text " {%0,%1,%2,%3}, [%4], %5;"                                                                     \
                 : "=r"(r.w[0]), "=r"(r.w[1]), "=r"(r.w[2]), "=r"(r.w[3])                                             \
                 : "l"(at), "r"(stride)                                                                                \
                 : "memory")
#define RIDGE_LOAD2(text)                                                                                              \
    asm volatile(text " {%0,%1}, [%2], %3;" : "=r"(r.w[0]), "=r"(r.w[1]) : "l"(at), "r"(stride) : "memory")
#define RIDGE_LOADER(load, use, letter, m, n, k, type, pointer, ptx, layout, order)                                    \
    RIDGE_FN void load_matrix_sync(fragment<use, m, n, k, type, layout>& f, const pointer* at, unsigned int stride)    \
    {                                                                                                                  \
        RidgeWords<sizeof(f.x) / 4> r;                                                                                 \
        load("wmma.load." letter ".sync.aligned." order ".m" #m "n" #n "k" #k "." ptx);                               \
        *(RidgeWords<sizeof(f.x) / 4>*)f.x = r;                                                                        \
    }
#define RIDGE_LOADERS(load, m, n, k, type, pointer, ptx)                                                               \
    RIDGE_LOADER(load, matrix_a, "a", m, n, k, type, pointer, ptx, row_major, "row")                                  \
    RIDGE_LOADER(load, matrix_a, "a", m, n, k, type, pointer, ptx, col_major, "col")                                  \
    RIDGE_LOADER(load, matrix_b, "b", m, n, k, type, pointer, ptx, row_major, "row")                                  \
    RIDGE_LOADER(load, matrix_b, "b", m, n, k, type, pointer, ptx, col_major, "col")
RIDGE_LOADERS(RIDGE_LOAD8, 16, 16, 16, __half, __half, "f16")
RIDGE_LOADERS(RIDGE_LOAD8, 32, 8, 16, __half, __half, "f16")
RIDGE_LOADERS(RIDGE_LOAD8, 8, 32, 16, __half, __half, "f16")
RIDGE_LOADERS(RIDGE_LOAD2, 16, 16, 16, signed char, signed char, "s8")
RIDGE_LOADERS(RIDGE_LOAD2, 16, 16, 16, unsigned char, unsigned char, "u8")
#if __CUDA_ARCH__ >= 800
RIDGE_LOADERS(RIDGE_LOAD4, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, "bf16")
RIDGE_LOADERS(RIDGE_LOAD4, 16, 16, 8, precision::tf32, float, "tf32")
#endif
#define RIDGE_LOAD1(text)                                                                                              \
    asm volatile(text " {%0}, [%1], %2;" : "=r"(r.w[0]) : "l"(at), "r"(stride) : "memory")
#define RIDGE_UNEQUAL_LOADERS(loadA, loadB, m, n, type, ptx)                                                           \
    RIDGE_LOADER(loadA, matrix_a, "a", m, n, 16, type, type, ptx, row_major, "row")                                   \
    RIDGE_LOADER(loadA, matrix_a, "a", m, n, 16, type, type, ptx, col_major, "col")                                   \
    RIDGE_LOADER(loadB, matrix_b, "b", m, n, 16, type, type, ptx, row_major, "row")                                   \
    RIDGE_LOADER(loadB, matrix_b, "b", m, n, 16, type, type, ptx, col_major, "col")
RIDGE_UNEQUAL_LOADERS(RIDGE_LOAD4, RIDGE_LOAD1, 32, 8, signed char, "s8")
RIDGE_UNEQUAL_LOADERS(RIDGE_LOAD1, RIDGE_LOAD4, 8, 32, signed char, "s8")
RIDGE_UNEQUAL_LOADERS(RIDGE_LOAD4, RIDGE_LOAD1, 32, 8, unsigned char, "u8")
RIDGE_UNEQUAL_LOADERS(RIDGE_LOAD1, RIDGE_LOAD4, 8, 32, unsigned char, "u8")
#if __CUDA_ARCH__ >= 800
RIDGE_UNEQUAL_LOADERS(RIDGE_LOAD8, RIDGE_LOAD2, 32, 8, __nv_bfloat16, "bf16")
RIDGE_UNEQUAL_LOADERS(RIDGE_LOAD2, RIDGE_LOAD8, 8, 32, __nv_bfloat16, "bf16")
#endif

#define RIDGE_STORE8(text)                                                                                             \
    asm volatile(text " [%8], {%0,%1,%2,%3,%4,%5,%6,%7}, %9;" ::"r"(r.w[0]), "r"(r.w[1]), "r"(r.w[2]), "r"(r.w[3]),   \
                 "r"(r.w[4]), "r"(r.w[5]), "r"(r.w[6]), "r"(r.w[7]), "l"(at), "r"(stride)                             \
                 : "memory")
#define RIDGE_STORE4(text)                                                                                             \
    asm volatile(text " [%4], {%0,%1,%2,%3}, %5;" ::"r"(r.w[0]), "r"(r.w[1]), "r"(r.w[2]), "r"(r.w[3]), "l"(at),      \
                 "r"(stride)                                                                                           \
                 : "memory")
#define RIDGE_ACCUMULATOR(load, store, m, n, k, type, ptx)                                                             \
    RIDGE_FN void load_matrix_sync(fragment<accumulator, m, n, k, type>& f, const type* at, unsigned int stride,       \
                                   layout_t layout)                                                                    \
    {                                                                                                                  \
        RidgeWords<sizeof(f.x) / 4> r;                                                                                 \
        if (layout == mem_row_major)                                                                                   \
            load("wmma.load.c.sync.aligned.row.m" #m "n" #n "k" #k "." ptx);                                          \
        else                                                                                                           \
            load("wmma.load.c.sync.aligned.col.m" #m "n" #n "k" #k "." ptx);                                          \
        *(RidgeWords<sizeof(f.x) / 4>*)f.x = r;                                                                        \
    }                                                                                                                  \
    RIDGE_FN void store_matrix_sync(type* at, const fragment<accumulator, m, n, k, type>& f, unsigned int stride,      \
                                    layout_t layout)                                                                   \
    {                                                                                                                  \
        const auto r = ridgeWords(f);                                                                                  \
        if (layout == mem_row_major)                                                                                   \
            store("wmma.store.d.sync.aligned.row.m" #m "n" #n "k" #k "." ptx);                                        \
        else                                                                                                           \
            store("wmma.store.d.sync.aligned.col.m" #m "n" #n "k" #k "." ptx);                                        \
    }
RIDGE_ACCUMULATOR(RIDGE_LOAD8, RIDGE_STORE8, 16, 16, 16, float, "f32")
RIDGE_ACCUMULATOR(RIDGE_LOAD8, RIDGE_STORE8, 32, 8, 16, float, "f32")
RIDGE_ACCUMULATOR(RIDGE_LOAD8, RIDGE_STORE8, 8, 32, 16, float, "f32")
RIDGE_ACCUMULATOR(RIDGE_LOAD8, RIDGE_STORE8, 16, 16, 16, int, "s32")
RIDGE_ACCUMULATOR(RIDGE_LOAD8, RIDGE_STORE8, 32, 8, 16, int, "s32")
RIDGE_ACCUMULATOR(RIDGE_LOAD8, RIDGE_STORE8, 8, 32, 16, int, "s32")
RIDGE_ACCUMULATOR(RIDGE_LOAD4, RIDGE_STORE4, 16, 16, 16, __half, "f16")
RIDGE_ACCUMULATOR(RIDGE_LOAD4, RIDGE_STORE4, 32, 8, 16, __half, "f16")
RIDGE_ACCUMULATOR(RIDGE_LOAD4, RIDGE_STORE4, 8, 32, 16, __half, "f16")
#if __CUDA_ARCH__ >= 800
RIDGE_ACCUMULATOR(RIDGE_LOAD8, RIDGE_STORE8, 16, 16, 8, float, "f32")
#endif

#define RIDGE_IN8(v) "r"(v.w[0]), "r"(v.w[1]), "r"(v.w[2]), "r"(v.w[3]), "r"(v.w[4]), "r"(v.w[5]), "r"(v.w[6]), "r"(v.w[7])
#define RIDGE_IN4(v) "r"(v.w[0]), "r"(v.w[1]), "r"(v.w[2]), "r"(v.w[3])
#define RIDGE_IN2(v) "r"(v.w[0]), "r"(v.w[1])
#define RIDGE_IN1(v) "r"(v.w[0])
#define RIDGE_OUT8(v)                                                                                                  \
    "=r"(v.w[0]), "=r"(v.w[1]), "=r"(v.w[2]), "=r"(v.w[3]), "=r"(v.w[4]), "=r"(v.w[5]), "=r"(v.w[6]), "=r"(v.w[7])
#define RIDGE_OUT4(v) "=r"(v.w[0]), "=r"(v.w[1]), "=r"(v.w[2]), "=r"(v.w[3])

/// Operand lists: D, A, B, C by the number of their registers.
#define RIDGE_D8A8 " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23}, {%24,%25,%26,%27,%28,%29,%30,%31};"
#define RIDGE_D4A8 " {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19}, {%20,%21,%22,%23};"
#define RIDGE_D8A4 " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23};"
#define RIDGE_D8A2 " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19};"

#define RIDGE_D8A8B2 " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17}, {%18,%19,%20,%21,%22,%23,%24,%25};"
#define RIDGE_D8A2B8 " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13,%14,%15,%16,%17}, {%18,%19,%20,%21,%22,%23,%24,%25};"
#define RIDGE_D8A4B1 " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12}, {%13,%14,%15,%16,%17,%18,%19,%20};"
#define RIDGE_D8A1B4 " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8}, {%9,%10,%11,%12}, {%13,%14,%15,%16,%17,%18,%19,%20};"

#define RIDGE_PRODUCT(m, n, k, type, result, types, list, out, inA, inB, inC, layoutA, orderA, layoutB, orderB)        \
    RIDGE_PRODUCT_AS(mma_sync, m, n, k, type, result, types, list, out, inA, inB, inC, layoutA, orderA, layoutB, orderB)
#define RIDGE_PRODUCT_AS(name, m, n, k, type, result, types, list, out, inA, inB, inC, layoutA, orderA, layoutB, orderB) \
    RIDGE_FN void name(fragment<accumulator, m, n, k, result>& d, const fragment<matrix_a, m, n, k, type, layoutA>& fa, \
                           const fragment<matrix_b, m, n, k, type, layoutB>& fb,                                       \
                           const fragment<accumulator, m, n, k, result>& fc)                                           \
    {                                                                                                                  \
        const auto a = ridgeWords(fa);                                                                                 \
        const auto b = ridgeWords(fb);                                                                                 \
        const auto c = ridgeWords(fc);                                                                                 \
        RidgeWords<sizeof(d.x) / 4> r;                                                                                 \
        asm volatile("wmma.mma.sync.aligned." orderA "." orderB ".m" #m "n" #n "k" #k "." types list                 \
                     : out(r) : inA(a), inB(b), inC(c));                                                               \
        *(RidgeWords<sizeof(d.x) / 4>*)d.x = r;                                                                        \
    }
#define RIDGE_PRODUCTS(m, n, k, type, result, types, list, out, in, inC)                                               \
    RIDGE_PRODUCT(m, n, k, type, result, types, list, out, in, in, inC, row_major, "row", row_major, "row")              \
    RIDGE_PRODUCT(m, n, k, type, result, types, list, out, in, in, inC, row_major, "row", col_major, "col")              \
    RIDGE_PRODUCT(m, n, k, type, result, types, list, out, in, in, inC, col_major, "col", row_major, "row")              \
    RIDGE_PRODUCT(m, n, k, type, result, types, list, out, in, in, inC, col_major, "col", col_major, "col")
#define RIDGE_HALF_PRODUCTS(m, n, k)                                                                                   \
    RIDGE_PRODUCTS(m, n, k, __half, float, "f32.f32", RIDGE_D8A8, RIDGE_OUT8, RIDGE_IN8, RIDGE_IN8)                   \
    RIDGE_PRODUCTS(m, n, k, __half, __half, "f16.f16", RIDGE_D4A8, RIDGE_OUT4, RIDGE_IN8, RIDGE_IN4)
RIDGE_HALF_PRODUCTS(16, 16, 16)
RIDGE_HALF_PRODUCTS(32, 8, 16)
RIDGE_HALF_PRODUCTS(8, 32, 16)
RIDGE_PRODUCTS(16, 16, 16, signed char, int, "s32.s8.s8.s32", RIDGE_D8A2, RIDGE_OUT8, RIDGE_IN2, RIDGE_IN8)
RIDGE_PRODUCTS(16, 16, 16, unsigned char, int, "s32.u8.u8.s32", RIDGE_D8A2, RIDGE_OUT8, RIDGE_IN2, RIDGE_IN8)
#if __CUDA_ARCH__ >= 800
RIDGE_PRODUCTS(16, 16, 16, __nv_bfloat16, float, "f32.bf16.bf16.f32", RIDGE_D8A4, RIDGE_OUT8, RIDGE_IN4, RIDGE_IN8)
RIDGE_PRODUCTS(16, 16, 8, precision::tf32, float, "f32.tf32.tf32.f32", RIDGE_D8A4, RIDGE_OUT8, RIDGE_IN4, RIDGE_IN8)
#endif

#define RIDGE_UNEQUAL_PRODUCTS(m, n, type, result, types, list, inA, inB)                                              \
    RIDGE_PRODUCT(m, n, 16, type, result, types, list, RIDGE_OUT8, inA, inB, RIDGE_IN8, row_major, "row", row_major, "row") \
    RIDGE_PRODUCT(m, n, 16, type, result, types, list, RIDGE_OUT8, inA, inB, RIDGE_IN8, row_major, "row", col_major, "col") \
    RIDGE_PRODUCT(m, n, 16, type, result, types, list, RIDGE_OUT8, inA, inB, RIDGE_IN8, col_major, "col", row_major, "row") \
    RIDGE_PRODUCT(m, n, 16, type, result, types, list, RIDGE_OUT8, inA, inB, RIDGE_IN8, col_major, "col", col_major, "col")
RIDGE_UNEQUAL_PRODUCTS(32, 8, signed char, int, "s32.s8.s8.s32", RIDGE_D8A4B1, RIDGE_IN4, RIDGE_IN1)
RIDGE_UNEQUAL_PRODUCTS(8, 32, signed char, int, "s32.s8.s8.s32", RIDGE_D8A1B4, RIDGE_IN1, RIDGE_IN4)
RIDGE_UNEQUAL_PRODUCTS(32, 8, unsigned char, int, "s32.u8.u8.s32", RIDGE_D8A4B1, RIDGE_IN4, RIDGE_IN1)
RIDGE_UNEQUAL_PRODUCTS(8, 32, unsigned char, int, "s32.u8.u8.s32", RIDGE_D8A1B4, RIDGE_IN1, RIDGE_IN4)
#if __CUDA_ARCH__ >= 800
RIDGE_UNEQUAL_PRODUCTS(32, 8, __nv_bfloat16, float, "f32.bf16.bf16.f32", RIDGE_D8A8B2, RIDGE_IN8, RIDGE_IN2)
RIDGE_UNEQUAL_PRODUCTS(8, 32, __nv_bfloat16, float, "f32.bf16.bf16.f32", RIDGE_D8A2B8, RIDGE_IN2, RIDGE_IN8)
#endif

// Sums of integers that stop at the ends of their range.
#define RIDGE_SATURATED(m, n, type, types, list, inA, inB, layoutA, orderA, layoutB, orderB)                           \
    RIDGE_PRODUCT_AS(ridgeSaturated, m, n, 16, type, int, types ".satfinite", list, RIDGE_OUT8, inA, inB, RIDGE_IN8,   \
                     layoutA, orderA, layoutB, orderB)
#define RIDGE_ALL_SATURATED(m, n, type, types, list, inA, inB)                                                         \
    RIDGE_SATURATED(m, n, type, types, list, inA, inB, row_major, "row", row_major, "row")                             \
    RIDGE_SATURATED(m, n, type, types, list, inA, inB, row_major, "row", col_major, "col")                             \
    RIDGE_SATURATED(m, n, type, types, list, inA, inB, col_major, "col", row_major, "row")                             \
    RIDGE_SATURATED(m, n, type, types, list, inA, inB, col_major, "col", col_major, "col")
#define RIDGE_SATURATED_SHAPES(type, types)                                                                            \
    RIDGE_ALL_SATURATED(16, 16, type, types, RIDGE_D8A2, RIDGE_IN2, RIDGE_IN2)                                         \
    RIDGE_ALL_SATURATED(32, 8, type, types, RIDGE_D8A4B1, RIDGE_IN4, RIDGE_IN1)                                        \
    RIDGE_ALL_SATURATED(8, 32, type, types, RIDGE_D8A1B4, RIDGE_IN1, RIDGE_IN4)
RIDGE_SATURATED_SHAPES(signed char, "s32.s8.s8.s32")
RIDGE_SATURATED_SHAPES(unsigned char, "s32.u8.u8.s32")

// Elements of 4 bits and of one: a register is eight or thirty-two of them; A lies by rows, B by columns.
#define RIDGE_OUT2(v) "=r"(v.w[0]), "=r"(v.w[1])
#define RIDGE_D2A1 " {%0,%1}, {%2}, {%3}, {%4,%5};"
#define RIDGE_STORE2(text)                                                                                             \
    asm volatile(text " [%2], {%0,%1}, %3;" ::"r"(r.w[0]), "r"(r.w[1]), "l"(at), "r"(stride) : "memory")
#define RIDGE_SMALL(k, type, ptx)                                                                                      \
    RIDGE_FRAGMENT(matrix_a, 8, 8, k, experimental::precision::type, int, 1)                                           \
    RIDGE_FRAGMENT(matrix_b, 8, 8, k, experimental::precision::type, int, 1)                                           \
    RIDGE_LOADER(RIDGE_LOAD1, matrix_a, "a", 8, 8, k, experimental::precision::type, void, ptx, row_major, "row")      \
    RIDGE_LOADER(RIDGE_LOAD1, matrix_b, "b", 8, 8, k, experimental::precision::type, void, ptx, col_major, "col")
RIDGE_FRAGMENT(accumulator, 8, 8, 32, int, int, 2)
RIDGE_FRAGMENT(accumulator, 8, 8, 128, int, int, 2)
RIDGE_ACCUMULATOR(RIDGE_LOAD2, RIDGE_STORE2, 8, 8, 32, int, "s32")
RIDGE_ACCUMULATOR(RIDGE_LOAD2, RIDGE_STORE2, 8, 8, 128, int, "s32")
RIDGE_SMALL(32, s4, "s4")
RIDGE_SMALL(32, u4, "u4")
RIDGE_SMALL(128, b1, "b1")
#define RIDGE_SMALL_PRODUCT(name, k, type, types)                                                                      \
    RIDGE_PRODUCT_AS(name, 8, 8, k, experimental::precision::type, int, types, RIDGE_D2A1, RIDGE_OUT2, RIDGE_IN1,      \
                     RIDGE_IN1, RIDGE_IN2, row_major, "row", col_major, "col")
RIDGE_SMALL_PRODUCT(mma_sync, 32, s4, "s32.s4.s4.s32")
RIDGE_SMALL_PRODUCT(mma_sync, 32, u4, "s32.u4.u4.s32")
RIDGE_SMALL_PRODUCT(ridgeSaturated, 32, s4, "s32.s4.s4.s32.satfinite")
RIDGE_SMALL_PRODUCT(ridgeSaturated, 32, u4, "s32.u4.u4.s32.satfinite")

template <int M, int N, int K, class T, class LayoutA, class LayoutB>
RIDGE_FN void mma_sync(fragment<accumulator, M, N, K, int>& d, const fragment<matrix_a, M, N, K, T, LayoutA>& a,
                       const fragment<matrix_b, M, N, K, T, LayoutB>& b, const fragment<accumulator, M, N, K, int>& c,
                       bool saturates)
{
    if (saturates)
        ridgeSaturated(d, a, b, c);
    else
        mma_sync(d, a, b, c);
}
RIDGE_FN void bmma_sync(fragment<accumulator, 8, 8, 128, int>& d,
                        const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major>& a,
                        const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major>& b,
                        const fragment<accumulator, 8, 8, 128, int>& c,
                        experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                        experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
    int r0, r1;
    (void)op;
#if __CUDA_ARCH__ >= 800
    if (op == experimental::bmmaBitOpAND)
        asm volatile("wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32" RIDGE_D2A1
                     : "=r"(r0), "=r"(r1) : "r"(a.x[0]), "r"(b.x[0]), "r"(c.x[0]), "r"(c.x[1]));
    else
#endif
        asm volatile("wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32" RIDGE_D2A1
                     : "=r"(r0), "=r"(r1) : "r"(a.x[0]), "r"(b.x[0]), "r"(c.x[0]), "r"(c.x[1]));
    d.x[0] = r0;
    d.x[1] = r1;
}

} // namespace wmma
} // namespace nvcuda
