// SPDX-License-Identifier: GPL-3.0-or-later
//
// Instruction throughput, rung 1: independent chains of one instruction.
//
// Shows     how many warps, and how many independent instructions in each (ILP), it takes to keep a pipe busy.
// Resource  one warp instruction per clock and scheduler, and the lanes of the pipe that executes it.
// Expect    cycles per instruction = latency / (warps per scheduler x ILP), until the pipe takes no more: FP32 FMA
//           one a clock and scheduler with 128 lanes an SM, one in two clocks with 64; MUFU one in eight.
// Gain      ILP 4 over ILP 1 with one warp: open until run on a GPU.
//
// One kernel an operation and a number of chains: <operation>_<chains>. Every loop turn is 120 instructions, however
// many chains share them: the loop costs 3 of 123 issue slots. The time is read from the SM's own clock in each warp;
// launch and start-up are not in it. Volatile assembly: no compiler may fold, fuse or reorder the chains.

#define TURN 120

struct FmaFp32 { // x * x + c wanders without end for c = -1.9: any step left out shows
    typedef float T;
    static __device__ void enter(T&) {}
    static __device__ void leave(T&) {}
    static __device__ T from(unsigned long long bits) { return __int_as_float((int)bits); }
    static __device__ unsigned int bits(T x) { return (unsigned int)__float_as_int(x); }
    static __device__ void step(T& x, T c, T) { asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(x) : "f"(c)); }
};
struct FmaFp64 {
    typedef double T;
    static __device__ void enter(T&) {}
    static __device__ void leave(T&) {}
    static __device__ T from(unsigned long long bits) { return __longlong_as_double((long long)bits); }
    static __device__ unsigned int bits(T x)
    {
        unsigned long long all = (unsigned long long)__double_as_longlong(x);
        return (unsigned int)(all ^ all >> 32);
    }
    static __device__ void step(T& x, T c, T) { asm volatile("fma.rn.f64 %0, %0, %0, %1;" : "+d"(x) : "d"(c)); }
};
struct Word { // operations on 32 bits of any meaning
    typedef unsigned int T;
    static __device__ void enter(T&) {}
    static __device__ void leave(T&) {}
    static __device__ T from(unsigned long long bits) { return (unsigned int)bits; }
    static __device__ unsigned int bits(T x) { return x; }
};
struct FmaHalf2 : Word { // both halves as FmaFp32
    static __device__ void step(T& x, T c, T) { asm volatile("fma.rn.f16x2 %0, %0, %0, %1;" : "+r"(x) : "r"(c)); }
};
struct Imad : Word { // a linear congruential generator
    static __device__ void step(T& x, T a, T c)
    {
        asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(c));
    }
};
struct Convert : Word { // integer to float, the float's bits taken as an integer again
    static __device__ void step(T& x, T, T)
    {
        asm volatile("{ .reg .f32 f; cvt.rn.f32.s32 f, %0; mov.b32 %0, f; }" : "+r"(x));
    }
};
struct Shuffle : Word { // each step moves the value by one lane; `a` is the lane to take from
    static __device__ void step(T& x, T a, T)
    {
        asm volatile("shfl.sync.idx.b32 %0, %0, %1, 31, 0xffffffff;" : "+r"(x) : "r"(a));
    }
};
struct MufuRcp : FmaFp32 { // x, 1/x, x …
    static __device__ void step(T& x, T, T) { asm volatile("rcp.approx.ftz.f32 %0, %0;" : "+f"(x)); }
};
struct MufuEx2 : FmaFp32 { // 2^-x, whose fixed point is 0.6412; the sign costs no instruction
    static __device__ void step(T& x, T, T)
    {
        asm volatile("{ .reg .f32 n; neg.ftz.f32 n, %0; ex2.approx.ftz.f32 %0, n; }" : "+f"(x));
    }
};

// 16 rows of 32 words. Each holds the address of one in the same bank, in the next row of a cycle through all of them.
__shared__ unsigned int table[16 * 32];
static __device__ unsigned int tableAddress()
{
    unsigned int address;
    asm("{ .reg .u64 s; cvta.to.shared.u64 s, %1; cvt.u32.u64 %0, s; }" : "=r"(address) : "l"(table));
    return address;
}
struct SharedLoad : Word { // a pointer chase without bank conflicts
    static __device__ void enter(T& x)
    {
        for (unsigned int word = threadIdx.x; word < 16 * 32; word += blockDim.x) {
            unsigned int row = word / 32, next = (5 * row + 1) % 16;
            table[word] = tableAddress() + 4 * (32 * next + word % 32);
        }
        x += tableAddress();
    }
    static __device__ void leave(T& x) { x -= tableAddress(); }
    static __device__ void step(T& x, T, T) { asm volatile("ld.shared.u32 %0, [%0];" : "+r"(x)::"memory"); }
};

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

/// `start`: 32 values for each chain, then the constants of the step. They come from memory, so that they live in
/// registers and no compiler knows them. `out`: 8 words a thread, the end of each chain.
template<class Op, int chains>
__device__ void run(const unsigned long long* start, unsigned int* out, unsigned long long* spans, unsigned int turns)
{
    unsigned int lane = threadIdx.x % 32;
    typename Op::T x[chains];
#pragma unroll
    for (int k = 0; k < chains; ++k) {
        x[k] = Op::from(start[32 * k + lane]);
        Op::enter(x[k]);
    }
    typename Op::T a = Op::from(start[256 + lane]);
    typename Op::T c = Op::from(start[288 + lane]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < chains; ++k)
        Op::step(x[k], a, c); // one step that is not timed: it makes the number of steps odd, which shows in the result
    __syncthreads();
    unsigned long long begin = now();
#pragma unroll 1
    for (unsigned int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int i = 0; i < TURN; ++i)
            Op::step(x[i % chains], a, c);
    }
    unsigned long long end = now();
#pragma unroll
    for (int k = 0; k < chains; ++k) {
        Op::leave(x[k]);
        out[8 * (blockIdx.x * blockDim.x + threadIdx.x) + k] = Op::bits(x[k]);
    }
    tell(spans, begin, end);
}

#define KERNEL(name, Op, chains)                                                                                       \
    extern "C" __global__ void __launch_bounds__(1024) name##_##chains(                                                \
        const unsigned long long* start, unsigned int* out, unsigned long long* spans, unsigned int turns)             \
    {                                                                                                                  \
        run<Op, chains>(start, out, spans, turns);                                                                     \
    }
#define KERNELS(name, Op) KERNEL(name, Op, 1) KERNEL(name, Op, 2) KERNEL(name, Op, 4) KERNEL(name, Op, 8)

KERNELS(fma_fp32, FmaFp32)
KERNELS(fma_fp64, FmaFp64)
KERNELS(fma_half2, FmaHalf2)
KERNELS(imad, Imad)
KERNELS(mufu_rcp, MufuRcp)
KERNELS(mufu_ex2, MufuEx2)
KERNELS(shuffle, Shuffle)
KERNELS(convert, Convert)
KERNELS(shared_load, SharedLoad)
