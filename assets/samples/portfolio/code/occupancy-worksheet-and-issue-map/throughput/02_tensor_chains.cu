// SPDX-License-Identifier: GPL-3.0-or-later
//
// Instruction throughput, rung 2: independent chains of tensor-core products.
//
// Shows     what mma.sync reaches by type, and how many accumulators in flight it takes.
// Changed   the step is D = A x B + D of a whole warp: thousands of operations an instruction instead of 64.
// Resource  the tensor core of each scheduler.
// Expect    one chain waits for each product; a few chains and warps fill the core. On Hopper mma.sync stops at 0.63 of
//           the dense peak (Luo et al. 2024); the rest takes wgmma.
// Gain      fp16 rate over the FP32 FMA rate of rung 1: open until run on a GPU.
// Also      sm_80
//
// A depends on its row alone and B on its column: A[r][k] = 1 + (r + r / 8) % spread, and B[k][c] = 1 where c % spread
// is 0, else -1. So D[r][c] grows by K x A x B each step, exact in every type. `spread` is 2; 1 makes all of them ones
// (Volta lays D out otherwise). Shapes: sm_70 m8n8k4; sm_75 m16n8k8 (fp16) and m8n8k16 (int8); sm_80 and newer as below.

#define TURN 120

static __device__ unsigned long long now()
{
    unsigned long long cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}

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

/// One or two 16-bit floats, or four 8-bit integers, of the same small value in a register.
struct Fp16 {
    static __device__ unsigned int word(int v) { return v == 1 ? 0x3c003c00u : v == 2 ? 0x40004000u : 0xbc00bc00u; }
};
struct Bf16 {
    static __device__ unsigned int word(int v) { return v == 1 ? 0x3f803f80u : v == 2 ? 0x40004000u : 0xbf80bf80u; }
};
struct Tf32 {
    static __device__ unsigned int word(int v) { return v == 1 ? 0x3f800000u : v == 2 ? 0x40000000u : 0xbf800000u; }
};
struct Int8 {
    static __device__ unsigned int word(int v) { return 0x01010101u * (unsigned int)(v & 0xff); }
};

struct Operands {
    unsigned int a[4]; ///< even registers row g, odd ones row g + 8 (where there are two)
    unsigned int b[2];
};

#define F32_TILE "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define S32_TILE "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define A4 "r"(o.a[0]), "r"(o.a[1]), "r"(o.a[2]), "r"(o.a[3])
#define B2 "r"(o.b[0]), "r"(o.b[1])
#define TILE4 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"

struct MmaFp16 : Fp16 {
    typedef float T;
#if __CUDA_ARCH__ >= 800
    static const int registers = 4;
    static __device__ void step(T* d, const Operands& o)
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " TILE4:F32_TILE : A4, B2);
    }
#elif __CUDA_ARCH__ >= 750
    static const int registers = 4;
    static __device__ void step(T* d, const Operands& o)
    {
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
            : F32_TILE
            : "r"(o.a[0]), "r"(o.a[1]), "r"(o.b[0]));
    }
#else
    static const int registers = 8;
    static __device__ void step(T* d, const Operands& o)
    {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, "
                     "{%10, %11}, {%0, %1, %2, %3, %4, %5, %6, %7};"
                     : F32_TILE, "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                     : "r"(o.a[0]), "r"(o.a[1]), B2);
    }
#endif
};

#if __CUDA_ARCH__ >= 800
struct MmaBf16 : Bf16 {
    typedef float T;
    static const int registers = 4;
    static __device__ void step(T* d, const Operands& o)
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " TILE4:F32_TILE : A4, B2);
    }
};
struct MmaTf32 : Tf32 {
    typedef float T;
    static const int registers = 4;
    static __device__ void step(T* d, const Operands& o)
    {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " TILE4:F32_TILE : A4, B2);
    }
};
#endif
#if __CUDA_ARCH__ >= 750
struct MmaInt8 : Int8 {
    typedef int T;
#if __CUDA_ARCH__ >= 800
    static const int registers = 4;
    static __device__ void step(T* d, const Operands& o)
    {
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 " TILE4:S32_TILE : A4, B2);
    }
#else
    static const int registers = 2;
    static __device__ void step(T* d, const Operands& o)
    {
        asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+r"(d[0]), "+r"(d[1])
                     : "r"(o.a[0]), "r"(o.b[0]));
    }
#endif
};
#endif

/// out: the accumulators of a thread, 8 words for it, those of its chains added up; their values are small integers.
template<class Op, int chains>
__device__ void run(int* out, unsigned long long* spans, unsigned int turns, unsigned int spread)
{
    unsigned int lane = threadIdx.x % 32, g = lane / 4;
    Operands o;
#pragma unroll
    for (int i = 0; i < 4; ++i)
        o.a[i] = Op::word(1 + (int)((g + 9 * (i % 2)) % spread)); // row g or g + 8
    o.b[0] = o.b[1] = Op::word(g % spread == 0 ? 1 : -1);
    typename Op::T d[chains][Op::registers];
#pragma unroll
    for (int k = 0; k < chains; ++k)
#pragma unroll
        for (int r = 0; r < Op::registers; ++r)
            d[k][r] = (typename Op::T)k;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < chains; ++k)
        Op::step(d[k], o); // not timed, as in rung 1
    __syncthreads();
    unsigned long long begin = now();
#pragma unroll 1
    for (unsigned int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int i = 0; i < TURN; ++i)
            Op::step(d[i % chains], o);
    }
    unsigned long long end = now();
#pragma unroll
    for (int r = 0; r < Op::registers; ++r) {
        int sum = 0; // each chain weighs something else, modulo 2^32
#pragma unroll
        for (int k = 0; k < chains; ++k)
            sum = (int)((unsigned int)sum * 31u + (unsigned int)(int)d[k][r]);
        out[8 * (blockIdx.x * blockDim.x + threadIdx.x) + r] = sum;
    }
    tell(spans, begin, end);
}

#define KERNEL(name, Op, chains)                                                                                       \
    extern "C" __global__ void __launch_bounds__(1024)                                                                 \
        name##_##chains(int* out, unsigned long long* spans, unsigned int turns, unsigned int spread)                  \
    {                                                                                                                  \
        run<Op, chains>(out, spans, turns, spread);                                                                    \
    }
#define KERNELS(name, Op) KERNEL(name, Op, 1) KERNEL(name, Op, 2) KERNEL(name, Op, 4) KERNEL(name, Op, 8)

KERNELS(mma_fp16, MmaFp16)
#if __CUDA_ARCH__ >= 750
KERNELS(mma_int8, MmaInt8)
#endif
#if __CUDA_ARCH__ >= 800
KERNELS(mma_bf16, MmaBf16)
KERNELS(mma_tf32, MmaTf32)
#endif
