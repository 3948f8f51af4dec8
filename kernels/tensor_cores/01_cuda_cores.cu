// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tensor cores, rung 1: C = A B in FP32 on the CUDA cores, for comparison.
//
// Shows     what a matrix product reaches where a multiply-add is an instruction of its own.
// Resource  the FP32 lanes: 128 of an SM, one multiply-add each a clock (Hopper).
// Expect    less than any precision of the tensor cores, and the smallest error of all.
// Gain      the base of the ladder.
//
// All rungs take A row by row and B column by column (n x k, as weights are often kept), n a multiple of 64. A block
// computes 64 x 64 elements of C with 256 threads, 4 x 4 each, in steps of 16 along k. Each element of C is one chain
// of fused multiply-adds, k ascending.

constexpr int kTile = 64, kDepth = 16;

extern "C" __global__ void __launch_bounds__(256)
    multiply_fp32(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, unsigned int n)
{
    __shared__ __align__(16) float aTile[kDepth][kTile + 4];
    __shared__ __align__(16) float bTile[kDepth][kTile + 4];
    int t = threadIdx.x, row = blockIdx.y * kTile, column = blockIdx.x * kTile, part = 4 * (t % 4);
    const float* aFrom = a + (row + t / 4) * n + part;
    const float* bFrom = b + (column + t / 4) * n + part;
    float sum[4][4] = {};

    for (unsigned int k = 0; k < n; k += kDepth) {
        float4 fromA = *(const float4*)(aFrom + k);
        float4 fromB = *(const float4*)(bFrom + k);
        float ofRow[4] = {fromA.x, fromA.y, fromA.z, fromA.w};
        float ofColumn[4] = {fromB.x, fromB.y, fromB.z, fromB.w};
        __syncthreads(); // the tiles before are used up
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            aTile[part + i][t / 4] = ofRow[i];
            bTile[part + i][t / 4] = ofColumn[i];
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
        *(float4*)(c + (row + 4 * (t / 16) + i) * n + column + 4 * (t % 16)) =
            make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
