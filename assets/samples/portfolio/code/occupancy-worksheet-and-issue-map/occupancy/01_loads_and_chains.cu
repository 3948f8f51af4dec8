// SPDX-License-Identifier: GPL-3.0-or-later
//
// Occupancy, rung 1: loads, or chains of multiply-adds, by warps that shared memory keeps few.
//
// Shows     that bytes in flight fill the memory, not occupancy: warps x ILP x bytes a lane.
// Resource  an SM's room for blocks. The launch asks for dynamic shared memory that no thread touches; it only takes
//           room, so that fewer blocks fit.
// Expect    bandwidth = bytes in flight / latency until the memory is full; four 4-byte loads in a row do what one
//           16-byte load does. H100: 3.35 TB/s x 650 cycles at 1.98 GHz are 8.3 KB an SM.
// Gain      16-byte over 4-byte loads with 8 warps an SM: open until run on a GPU.
//
// load_<bytes>_<ilp>: every round each thread reads `ilp` vectors and then needs all of them. fma_<ilp>: as many
// independent chains x * x + c, 120 instructions a round. The grid fills the GPU once; nobody waits for a second wave.

static __device__ unsigned long long now()
{
    unsigned long long cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}

/// Says when this warp worked, and where: three words of 64 bits a warp.
static __device__ void tell(unsigned long long* spans, unsigned long long begin, unsigned long long end)
{
    unsigned int sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x % 32 == 0) {
        unsigned long long* mine = spans + 3 * (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32);
        mine[0] = begin;
        mine[1] = end;
        mine[2] = sm;
    }
}

static __device__ unsigned int fold(unsigned int v) { return v; }
static __device__ unsigned int fold(uint2 v) { return v.x + 3 * v.y; }
static __device__ unsigned int fold(uint4 v) { return v.x + 3 * v.y + 5 * v.z + 7 * v.w; }

// Volatile, so that all loads of a round leave before the first of them is needed.
static __device__ void get(unsigned int& v, const unsigned int* from)
{
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(from));
}
static __device__ void get(uint2& v, const uint2* from)
{
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(from));
}
static __device__ void get(uint4& v, const uint4* from)
{
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from));
}

template <class T, int ilp>
__device__ void load(const T* in, unsigned int* out, unsigned long long* spans, unsigned int rounds)
{
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long thread = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    const T* next = in + thread;
    unsigned int sum = 0;
    unsigned long long begin = now();
#pragma unroll 1
    for (unsigned int round = 0; round < rounds; ++round) {
        T got[ilp];
#pragma unroll
        for (int k = 0; k < ilp; ++k)
            get(got[k], next + k * threads);
#pragma unroll
        for (int k = ilp - 1; k >= 0; --k) // the last one first: the others have to be on their way by then
            sum = sum * 3 + fold(got[k]);
        next += ilp * threads;
    }
    unsigned long long end = now();
    out[thread] = sum;
    tell(spans, begin, end);
}

template <int ilp>
__device__ void fma(const float* in, unsigned int* out, unsigned long long* spans, unsigned int rounds)
{
    unsigned int lane = threadIdx.x % 32;
    float c = in[0];
    float x[ilp];
#pragma unroll
    for (int k = 0; k < ilp; ++k)
        x[k] = in[32 + 32 * k + lane];
    unsigned long long begin = now();
#pragma unroll 1
    for (unsigned int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 120; ++i)
            asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(x[i % ilp]) : "f"(c));
    }
    unsigned long long end = now();
    unsigned int folded = 0;
#pragma unroll
    for (int k = 0; k < ilp; ++k)
        folded = folded * 31 + (unsigned int)__float_as_int(x[k]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = folded;
    tell(spans, begin, end);
}

#define LOAD(bytes, T, ilp)                                                                                            \
    extern "C" __global__ void __launch_bounds__(1024)                                                                 \
        load_##bytes##_##ilp(const T* in, unsigned int* out, unsigned long long* spans, unsigned int rounds)           \
    {                                                                                                                  \
        load<T, ilp>(in, out, spans, rounds);                                                                          \
    }
#define LOADS(bytes, T) LOAD(bytes, T, 1) LOAD(bytes, T, 2) LOAD(bytes, T, 4) LOAD(bytes, T, 8)
#define FMA(ilp)                                                                                                       \
    extern "C" __global__ void __launch_bounds__(1024)                                                                 \
        fma_##ilp(const float* in, unsigned int* out, unsigned long long* spans, unsigned int rounds)                  \
    {                                                                                                                  \
        fma<ilp>(in, out, spans, rounds);                                                                              \
    }

LOADS(4, unsigned int)
LOADS(8, uint2)
LOADS(16, uint4)
FMA(1)
FMA(2)
FMA(4)
FMA(8)
