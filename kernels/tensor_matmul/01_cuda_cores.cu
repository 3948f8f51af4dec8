// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tensor matmul, rung 1: C = A B from 16-bit factors on the CUDA cores.
//
// Shows     that a cast to FP16 halves the bytes and nothing else: each product is still an FFMA of a lane.
// Resource  the FP32 lanes; the tensor cores do not work at all.
// Expect    the rate of an FP32 product at best, whatever the type of the factors.
// Gain      the base of the ladder.
//
// All rungs take A row by row (m x k). B is stored column by column (n x k, name ends in _nk, as weights of a linear
// layer are kept) or row by row (k x n, _kn). C is FP32. Any m, n and k from 1. A block computes 64 x 64 elements with
// 256 threads, 4 x 4 each, in steps of 16 along k; k ascends.

constexpr int kTile = 64, kDepth = 16, kThreads = 256;

struct Fp16 {
    static __device__ float value(unsigned short bits)
    {
        float wide;
        asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(bits));
        return wide;
    }
};
struct Bf16 {
    static __device__ float value(unsigned short bits) { return __uint_as_float((unsigned int)bits << 16); }
};

template<class Type, bool kByK>
__device__ void multiply(const unsigned short* a, const unsigned short* b, float* c, unsigned int m, unsigned int n,
                         unsigned int k)
{
    __shared__ __align__(16) float aTile[kDepth][kTile + 4];
    __shared__ __align__(16) float bTile[kDepth][kTile + 4];
    unsigned int t = threadIdx.x, row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
    float sum[4][4] = {};
    for (unsigned int k0 = 0; k0 < k; k0 += kDepth) {
        __syncthreads(); // the tiles before are used up
#pragma unroll
        for (int i = 0; i < kTile * kDepth / kThreads; ++i) {
            unsigned int piece = t + i * kThreads, along = piece % kDepth, row = piece / kDepth;
            bool inside = row0 + row < m && k0 + along < k;
            aTile[along][row] = inside ? Type::value(a[(row0 + row) * k + k0 + along]) : 0;
            unsigned int down = kByK ? piece / kTile : along, column = kByK ? piece % kTile : row;
            inside = column0 + column < n && k0 + down < k;
            unsigned int at = kByK ? (k0 + down) * n + column0 + column : (column0 + column) * k + k0 + down;
            bTile[down][column] = inside ? Type::value(b[at]) : 0;
        }
        __syncthreads();
#pragma unroll
        for (int step = 0; step < kDepth; ++step) {
            float4 ofA = *(const float4*)&aTile[step][4 * (t / 16)];
            float4 ofB = *(const float4*)&bTile[step][4 * (t % 16)];
            float rows[4] = {ofA.x, ofA.y, ofA.z, ofA.w};
            float columns[4] = {ofB.x, ofB.y, ofB.z, ofB.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    sum[i][j] = __fmaf_rn(rows[i], columns[j], sum[i][j]);
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            unsigned int row = row0 + 4 * (t / 16) + i, column = column0 + 4 * (t % 16) + j;
            if (row < m && column < n)
                c[row * n + column] = sum[i][j];
        }
}

// The widths tell other rungs how many bytes a copy may take at once; here each element is loaded by itself.
#define KERNEL(name, Type, kByK)                                                                                       \
    extern "C" __global__ void __launch_bounds__(kThreads)                                                             \
        cuda_cores_##name(const unsigned short* a, const unsigned short* b, float* c, unsigned int m, unsigned int n,  \
                          unsigned int k, unsigned int, unsigned int)                                                  \
    {                                                                                                                  \
        multiply<Type, kByK>(a, b, c, m, n, k);                                                                        \
    }

KERNEL(fp16_nk, Fp16, false)
KERNEL(bf16_nk, Bf16, false)
KERNEL(fp16_kn, Fp16, true)
KERNEL(bf16_kn, Bf16, true)
