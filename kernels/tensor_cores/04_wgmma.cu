// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tensor cores, rung 4: C = A B by products of four warps, wgmma.
//
// Needs     sm_90a
// Changed   one instruction multiplies 64 x 64 elements over 32 bytes of k, and reads both factors in shared memory: no
//           lane carries them in registers. (Rungs 2 and 3: 16 x 8 elements a warp, from registers.)
// Resource  the tensor cores alone: shared memory is read once for four warps.
// Expect    on Hopper the one way to the full rate, of FP8 to any rate of its own. At n = 256 there are 16 blocks for
// 132
//           SMs, so all precisions stay far below the peak.
// Gain      over rung 2 at n = 4096: open until run on a GPU.
//
// wgmma reads "core matrices" of 8 rows x 16 bytes. Here those of neighbouring rows follow each other, and those 16
// bytes further along k lie kAlong bytes apart, 32 more than the eight of a column need, which keeps stores apart in
// the banks.

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)

constexpr int kTile = 64, kChunk = 64, kCore = 128, kAlong = 8 * kCore + 32;

struct Stores32 {
    typedef float Out;
    static __device__ void store(float* to, float first, float second) { *(float2*)to = make_float2(first, second); }
};
struct Stores16 {
    typedef unsigned short Out;
};

// `how` ends with the signs of A and B and, for 16-bit types, with the order in which both lie: k first.
#define PRODUCT(shape, type, how)                                                                                      \
    static __device__ void step(float* d, unsigned long long a, unsigned long long b)                                  \
    {                                                                                                                  \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned." shape ".f32." type "." type  \
                     " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "    \
                     "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p" how "; }"              \
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), \
                       "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]),        \
                       "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]),      \
                       "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]),      \
                       "+f"(d[29]), "+f"(d[30]), "+f"(d[31])                                                           \
                     : "l"(a), "l"(b));                                                                                \
    }
#define ROUND(type)                                                                                                    \
    static __device__ void store(unsigned short* to, float first, float second)                                        \
    {                                                                                                                  \
        unsigned int both;                                                                                             \
        asm("cvt.rn." type ".f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));                                 \
        *(unsigned int*)to = both;                                                                                     \
    }

struct Tf32 : Stores32 {
    static const int bytes = 4;
    PRODUCT("m64n64k8", "tf32", ", 1, 1")
};
struct Fp16 : Stores16 {
    static const int bytes = 2;
    PRODUCT("m64n64k16", "f16", ", 1, 1, 0, 0")
    ROUND("f16x2")
};
struct Bf16 : Stores16 {
    static const int bytes = 2;
    PRODUCT("m64n64k16", "bf16", ", 1, 1, 0, 0")
    ROUND("bf16x2")
};
struct Fp8 : Stores32 {
    static const int bytes = 1;
    PRODUCT("m64n64k32", "e4m3", ", 1, 1")
};

/// Where wgmma finds a factor: address, step along k, step along rows, all over 16; no swizzle.
static __device__ unsigned long long descriptor(const unsigned char* tile)
{
    unsigned int address;
    asm("{ .reg .u64 s; cvta.to.shared.u64 s, %1; cvt.u32.u64 %0, s; }" : "=r"(address) : "l"(tile));
    return (unsigned long long)(address >> 4 & 0x3fff) | (unsigned long long)(kAlong / 16) << 16 |
           (unsigned long long)(kCore / 16) << 32;
}

/// A block of four warps computes 64 x 64 elements, a warp 16 rows of them.
template<class Op>
__device__ void multiply(const unsigned char* a, const unsigned char* b, typename Op::Out* c, unsigned int n)
{
    __shared__ __align__(128) unsigned char aTile[kChunk / 16 * kAlong];
    __shared__ __align__(128) unsigned char bTile[kChunk / 16 * kAlong];
    unsigned int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, q = t % 4, rowBytes = n * Op::bytes;
    const unsigned char* aFrom = a + (blockIdx.y * kTile + t / 4) * rowBytes + 16 * q;
    const unsigned char* bFrom = b + (blockIdx.x * kTile + t / 4) * rowBytes + 16 * q;
    unsigned int into = q * kAlong + t / 32 * kCore + 16 * g, further = 32 * rowBytes; // as in rung 2
    unsigned long long ofA = descriptor(aTile), ofB = descriptor(bTile);
    float d[32] = {};

    for (unsigned int k = 0; k < rowBytes; k += kChunk) {
        uint4 a0 = *(const uint4*)(aFrom + k), a1 = *(const uint4*)(aFrom + further + k);
        uint4 b0 = *(const uint4*)(bFrom + k), b1 = *(const uint4*)(bFrom + further + k);
        __syncthreads(); // every warp has waited for its products
        *(uint4*)(aTile + into) = a0;
        *(uint4*)(aTile + into + 4 * kCore) = a1;
        *(uint4*)(bTile + into) = b0;
        *(uint4*)(bTile + into + 4 * kCore) = b1;
        asm volatile("fence.proxy.async;" ::: "memory"); // wgmma reads by another way than threads write
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int step = 0; step < kChunk / 32; ++step)
            Op::step(d, ofA + step * 2 * kAlong / 16, ofB + step * 2 * kAlong / 16);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    typename Op::Out* to = c + (blockIdx.y * kTile + 16 * warp + g) * n + blockIdx.x * kTile + 2 * q;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        Op::store(to + 8 * j, d[4 * j], d[4 * j + 1]);
        Op::store(to + 8 * n + 8 * j, d[4 * j + 2], d[4 * j + 3]);
    }
}

#define KERNEL(name, Op)                                                                                               \
    extern "C" __global__ void __launch_bounds__(128)                                                                  \
        multiply_##name(const unsigned char* a, const unsigned char* b, Op::Out* c, unsigned int n)                    \
    {                                                                                                                  \
        multiply<Op>(a, b, c, n);                                                                                      \
    }

KERNEL(tf32, Tf32)
KERNEL(fp16, Fp16)
KERNEL(bf16, Bf16)
KERNEL(fp8, Fp8)

#endif
