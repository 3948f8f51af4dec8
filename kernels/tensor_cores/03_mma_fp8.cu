// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tensor cores, rung 3: C = A B in FP8 (e4m3) by products of a warp.
//
// Needs     sm_89
// Changed   32 bytes of k are 32 values: the bytes move as in rung 2, each of them is a value.
// Resource  bandwidth everywhere on the way; the tensor core does twice as many multiply-adds a clock as in FP16.
// Expect    half the time of FP16 on Ada. Hopper and datacenter Blackwell execute this instruction as FP16 after unpacking
//           (ptxas 13.0: F2FP and HMMA), so that rung 4 is the way there.
// Gain      over FP16 in rung 2: open until run on a GPU.

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890

constexpr int kTile = 64, kChunk = 64, kRow = kChunk + 16; // bytes of a row, as in rung 2

static __device__ unsigned int word(const unsigned char* at)
{
    return *(const unsigned int*)at;
}

extern "C" __global__ void __launch_bounds__(128)
    multiply_fp8(const unsigned char* a, const unsigned char* b, float* c, unsigned int n)
{
    __shared__ __align__(16) unsigned char aTile[kTile * kRow];
    __shared__ __align__(16) unsigned char bTile[kTile * kRow];
    unsigned int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, q = t % 4;
    const unsigned char* aFrom = a + (blockIdx.y * kTile + t / 4) * n + 16 * q;
    const unsigned char* bFrom = b + (blockIdx.x * kTile + t / 4) * n + 16 * q;
    unsigned int into = t / 4 * kRow + 16 * q;
    float d[8][4] = {};

    for (unsigned int k = 0; k < n; k += kChunk) {
        uint4 a0 = *(const uint4*)(aFrom + k), a1 = *(const uint4*)(aFrom + 32 * n + k);
        uint4 b0 = *(const uint4*)(bFrom + k), b1 = *(const uint4*)(bFrom + 32 * n + k);
        __syncthreads(); // the tiles before are used up
        *(uint4*)(aTile + into) = a0;
        *(uint4*)(aTile + into + 32 * kRow) = a1;
        *(uint4*)(bTile + into) = b0;
        *(uint4*)(bTile + into + 32 * kRow) = b1;
        __syncthreads();
#pragma unroll
        for (int step = 0; step < kChunk; step += 32) {
            const unsigned char* ofA = aTile + (16 * warp + g) * kRow + step + 4 * q;
            unsigned int rows[4] = {word(ofA), word(ofA + 8 * kRow), word(ofA + 16), word(ofA + 8 * kRow + 16)};
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                const unsigned char* ofB = bTile + (8 * j + g) * kRow + step + 4 * q;
                asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                             "{%8, %9}, {%0, %1, %2, %3};"
                             : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
                             : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(word(ofB)),
                               "r"(word(ofB + 16)));
            }
        }
    }
    float* to = c + (blockIdx.y * kTile + 16 * warp + g) * n + blockIdx.x * kTile + 2 * q;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        *(float2*)(to + 8 * j) = make_float2(d[j][0], d[j][1]);
        *(float2*)(to + 8 * n + 8 * j) = make_float2(d[j][2], d[j][3]);
    }
}

#endif
