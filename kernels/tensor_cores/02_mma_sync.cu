// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tensor cores, rung 2: C = A B by products of a warp, mma.sync.
//
// Needs     sm_80
// Shows     what the same bytes do in TF32, FP16 and BF16.
// Changed   one instruction multiplies 16 x 8 elements over 32 bytes of k: 8 values in TF32, 16 in FP16 and BF16. The code
//           around it moves bytes and does not know which they are. (Rung 1: one multiply-add a lane.)
// Resource  the tensor core of each scheduler; the FP32 lanes are free.
// Expect    half the bytes an element, half the time. Sums are in FP32; FP16 and BF16 are stored in 16 bits, so that
//           FP16 overflows above 65504.
// Gain      over rung 1: open until run on a GPU.

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

constexpr int kTile = 64, kChunk = 64, kRow = kChunk + 16; // bytes of a row; 16 more keep the lanes apart in the banks

struct Stores32 {
    typedef float Out;
    static __device__ void store(float* to, float first, float second) { *(float2*)to = make_float2(first, second); }
};
struct Stores16 {
    typedef unsigned short Out;
};

#define PRODUCT(shape, type)                                                                                           \
    static __device__ void step(float* d, const unsigned int* a, unsigned int b0, unsigned int b1)                     \
    {                                                                                                                  \
        asm volatile("mma.sync.aligned." shape ".row.col.f32." type "." type                                           \
                     ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                            \
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                  \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));                                  \
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
    PRODUCT("m16n8k8", "tf32")
};
struct Fp16 : Stores16 {
    static const int bytes = 2;
    PRODUCT("m16n8k16", "f16")
    ROUND("f16x2")
};
struct Bf16 : Stores16 {
    static const int bytes = 2;
    PRODUCT("m16n8k16", "bf16")
    ROUND("bf16x2")
};

static __device__ unsigned int word(const unsigned char* at)
{
    return *(const unsigned int*)at;
}

/// A block of four warps computes 64 x 64 elements, a warp 16 rows of them.
template<class Op>
__device__ void multiply(const unsigned char* a, const unsigned char* b, typename Op::Out* c, unsigned int n)
{
    __shared__ __align__(16) unsigned char aTile[kTile * kRow];
    __shared__ __align__(16) unsigned char bTile[kTile * kRow];
    unsigned int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, q = t % 4, rowBytes = n * Op::bytes;
    const unsigned char* aFrom = a + (blockIdx.y * kTile + t / 4) * rowBytes + 16 * q;
    const unsigned char* bFrom = b + (blockIdx.x * kTile + t / 4) * rowBytes + 16 * q;
    unsigned int into = t / 4 * kRow + 16 * q, further = 32 * rowBytes; // a thread copies 16 bytes of two rows
    float d[8][4] = {};

    for (unsigned int k = 0; k < rowBytes; k += kChunk) {
        uint4 a0 = *(const uint4*)(aFrom + k), a1 = *(const uint4*)(aFrom + further + k);
        uint4 b0 = *(const uint4*)(bFrom + k), b1 = *(const uint4*)(bFrom + further + k);
        __syncthreads(); // the tiles before are used up
        *(uint4*)(aTile + into) = a0;
        *(uint4*)(aTile + into + 32 * kRow) = a1;
        *(uint4*)(bTile + into) = b0;
        *(uint4*)(bTile + into + 32 * kRow) = b1;
        __syncthreads();
#pragma unroll
        for (int step = 0; step < kChunk; step += 32) {
            // Lane (g, q) holds bytes 4q of rows g and g + 8, then the same 16 bytes further; of B, of column g.
            const unsigned char* ofA = aTile + (16 * warp + g) * kRow + step + 4 * q;
            unsigned int rows[4] = {word(ofA), word(ofA + 8 * kRow), word(ofA + 16), word(ofA + 8 * kRow + 16)};
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                const unsigned char* ofB = bTile + (8 * j + g) * kRow + step + 4 * q;
                Op::step(d[j], rows, word(ofB), word(ofB + 16));
            }
        }
    }
    typename Op::Out* to = c + (blockIdx.y * kTile + 16 * warp + g) * n + blockIdx.x * kTile + 2 * q;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        Op::store(to + 8 * j, d[j][0], d[j][1]);
        Op::store(to + 8 * n + 8 * j, d[j][2], d[j][3]);
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

#endif
