// SPDX-License-Identifier: GPL-3.0-or-later
//
// Roofline, rung 1: a kernel whose arithmetic intensity is a number.
//
// Shows     the two lines of the roofline: bytes bound on the left, operations on the right, and the ridge between.
// Resource  memory bandwidth of a level (device memory, L2, shared memory) against the rate of a pipe.
// Expect    rate = intensity x bandwidth below the ridge, the pipe's peak above it; near it both units are busy.
// Gain      rate at 512 over 0.125 FLOP an element: open until run on a GPU.
//
// Each round a thread takes 16 elements as vectors of 16 bytes and applies x * x + c (integers: x * a + c) to them:
// <type>_<n> once to each of n of the 16, or n / 16 times to each; <type>_loop has 4 a turn for each, 67 instructions, which fit
// where the next ones come from. 16 independent chains; the constants come from memory. The results add up as integers, so that no element can be left out. The
// global kernels pass the L1 (ld.global.cg); the shared ones read what their block put into shared memory.

// Elements stay bits, which float instructions take as they are: no move between kinds of registers in a loop.
struct Words {
    typedef unsigned int T;
    static const int perVector = 4;
    static __device__ unsigned int bits(T x) { return x; }
    static __device__ void get(T* x, const uint4& v) { x[0] = v.x, x[1] = v.y, x[2] = v.z, x[3] = v.w; }
};
struct Fp32 : Words {
    static __device__ void step(T& x, T, T c) { asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+r"(x) : "r"(c)); }
};
struct Fp64 {
    typedef unsigned long long T;
    static const int perVector = 2;
    static __device__ unsigned int bits(T x) { return (unsigned int)(x ^ x >> 32); }
    static __device__ void step(T& x, T, T c) { asm volatile("fma.rn.f64 %0, %0, %0, %1;" : "+l"(x) : "l"(c)); }
    static __device__ void get(T* x, const uint4& v)
    {
        x[0] = v.x | (T)v.y << 32;
        x[1] = v.z | (T)v.w << 32;
    }
};
struct Half2 : Words {
    static __device__ void step(T& x, T, T c) { asm volatile("fma.rn.f16x2 %0, %0, %0, %1;" : "+r"(x) : "r"(c)); }
};
struct Int32 : Words {
    static __device__ void step(T& x, T a, T c)
    {
        asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(c));
    }
};

/// n: operations for 16 elements; 0: `turns` times 4 to each.
template <class P, int n> __device__ void work(typename P::T* x, typename P::T a, typename P::T c, unsigned int turns)
{
    if (n == 0) {
#pragma unroll 1
        for (unsigned int turn = 0; turn < turns; ++turn) {
#pragma unroll
            for (int i = 0; i < 4 * 16; ++i)
                P::step(x[i % 16], a, c);
        }
    } else if (n >= 16) {
#pragma unroll
        for (int i = 0; i < n; ++i)
            P::step(x[i % 16], a, c);
    } else {
        const int apart = n > 0 && n < 16 ? 16 / (n > 0 ? n : 1) : 16;
#pragma unroll
        for (int j = 0; j < 16; j += apart)
            P::step(x[j], a, c);
    }
}

template <class P> __device__ typename P::T constant(const uint4* constants, int which)
{
    typename P::T x[P::perVector];
    P::get(x, constants[which]);
    return x[0];
}

template <class P, int n>
__device__ void global(const uint4* in, const uint4* constants, unsigned int* out, unsigned int rounds,
                       unsigned int passes, unsigned int turns)
{
    const int vectors = 16 / P::perVector;
    typename P::T a = constant<P>(constants, 0), c = constant<P>(constants, 1);
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    unsigned int sum = 0;
#pragma unroll 1
    for (unsigned int pass = 0; pass < passes; ++pass) {
        // Each pass takes the stretch of another block, which no L1 near has seen.
        unsigned long long block = (blockIdx.x + 37ull * pass) % gridDim.x;
        const uint4* next = in + block * blockDim.x + threadIdx.x;
#pragma unroll 1
        for (unsigned int round = 0; round < rounds; ++round) {
            uint4 v[vectors];
#pragma unroll
            for (int k = 0; k < vectors; ++k)
                asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w)
                             : "l"(next + k * threads));
            typename P::T x[16];
#pragma unroll
            for (int k = 0; k < vectors; ++k)
                P::get(x + k * P::perVector, v[k]);
            work<P, n>(x, a, c, turns);
#pragma unroll
            for (int j = 0; j < 16; ++j)
                sum += P::bits(x[j]);
            next += vectors * threads;
        }
    }
    out[(unsigned long long)blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// A block keeps `rounds` x 16 elements for each of its threads and goes through them `passes` times.
template <class P, int n>
__device__ void shared(const uint4* in, const uint4* constants, unsigned int* out, unsigned int rounds,
                       unsigned int passes, unsigned int turns)
{
    extern __shared__ uint4 tile[];
    const int vectors = 16 / P::perVector;
    typename P::T a = constant<P>(constants, 0), c = constant<P>(constants, 1);
    unsigned int each = rounds * vectors;
    for (unsigned int k = 0; k < each; ++k) // in this block's stretch of the input, as it lies
        tile[k * blockDim.x + threadIdx.x] =
            in[(unsigned long long)blockIdx.x * each * blockDim.x + k * blockDim.x + threadIdx.x];
    __syncthreads();
    unsigned int sum = 0;
#pragma unroll 1
    for (unsigned int pass = 0; pass < passes; ++pass) {
#pragma unroll 1
        for (unsigned int round = 0; round < rounds; ++round) {
            typename P::T x[16];
#pragma unroll
            for (int k = 0; k < vectors; ++k) {
                const uint4* from = tile + (round * vectors + k) * blockDim.x + threadIdx.x;
                uint4 v;
                asm volatile("{ .reg .u64 s; cvta.to.shared.u64 s, %4; ld.shared.v4.u32 {%0, %1, %2, %3}, [s]; }"
                             : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                             : "l"(from));
                P::get(x + k * P::perVector, v);
            }
            work<P, n>(x, a, c, turns);
#pragma unroll
            for (int j = 0; j < 16; ++j)
                sum += P::bits(x[j]);
        }
    }
    out[(unsigned long long)blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

#define KERNEL(level, type, P, name, n)                                                                                \
    extern "C" __global__ void __launch_bounds__(512)                                                                  \
        level##_##type##_##name(const uint4* in, const uint4* constants, unsigned int* out, unsigned int rounds,       \
                                unsigned int passes, unsigned int turns)                                               \
    {                                                                                                                  \
        level<P, n>(in, constants, out, rounds, passes, turns);                                                        \
    }
#define KERNELS(level, type, P)                                                                                        \
    KERNEL(level, type, P, 1, 1)                                                                                       \
    KERNEL(level, type, P, 2, 2)                                                                                       \
    KERNEL(level, type, P, 4, 4)                                                                                       \
    KERNEL(level, type, P, 8, 8)                                                                                       \
    KERNEL(level, type, P, 16, 16)                                                                                     \
    KERNEL(level, type, P, 32, 32)                                                                                     \
    KERNEL(level, type, P, loop, 0)

KERNELS(global, fp32, Fp32)
KERNELS(global, fp64, Fp64)
KERNELS(global, half2, Half2)
KERNELS(global, int32, Int32)
KERNELS(shared, fp32, Fp32)
KERNELS(shared, fp64, Fp64)
KERNELS(shared, half2, Half2)
KERNELS(shared, int32, Int32)
