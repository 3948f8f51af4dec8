// SPDX-License-Identifier: GPL-3.0-or-later
//
// Crossover, rung 2: C = A B of square matrices in FP32, by tiles in shared memory.
//
// Shows     work whose operations grow as n^3 and whose data as n^2: copies stop to matter.
// Changed   each value that a block loads serves 64 products instead of one.
// Resource  the FP32 lanes of the SMs that have a block: n = 512 gives work to 64 of them.
// Expect    a time that hardly grows until there are more blocks than SMs, then n^3.
// Gain      over all cores of a processor at n = 4096: open until run on a GPU.
//
// A block computes 64 x 64 elements of C with 256 threads, 4 x 4 each. In steps of 16 along k it copies 64 x 16 of A
// and 16 x 64 of B to shared memory; then a thread reads 8 values there for 16 multiply-adds. n is a multiple of 64.

constexpr int kTile = 64, kDepth = 16;

extern "C" __global__ void __launch_bounds__(256)
    sgemm(unsigned int n, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    __shared__ __align__(16) float aTile[kDepth][kTile + 4]; // transposed; 4 more keep the stores apart in the banks
    __shared__ __align__(16) float bTile[kDepth][kTile];
    int t = threadIdx.x, row = blockIdx.y * kTile, column = blockIdx.x * kTile;
    const float* aFrom = a + (row + t / 4) * n + 4 * (t % 4);
    const float* bFrom = b + t / 16 * n + column + 4 * (t % 16);
    float sum[4][4] = {};

    for (unsigned int k = 0; k < n; k += kDepth) {
        float4 fromA = *(const float4*)(aFrom + k);
        float4 fromB = *(const float4*)(bFrom + k * n);
        __syncthreads(); // the tiles before are used up
        int part = 4 * (t % 4);
        aTile[part][t / 4] = fromA.x;
        aTile[part + 1][t / 4] = fromA.y;
        aTile[part + 2][t / 4] = fromA.z;
        aTile[part + 3][t / 4] = fromA.w;
        *(float4*)&bTile[t / 16][4 * (t % 16)] = fromB;
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
        *(float4*)(c + (row + 4 * (t / 16) + i) * n + column + 4 * (t % 16)) =
            make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
