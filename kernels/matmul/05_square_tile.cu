// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matmul, rung 5: a thread computes 8 x 8 elements in registers.
//
// Changed   a block of 256 threads computes 128 x 128 elements. A thread reads 8 words of A and 8 of B into registers
// and
//           multiplies each with each.
// Frees     loads from shared memory: 16 words for 64 multiply-adds, a quarter of a word each. The larger tile also
// halves
//           the loads from global memory: 1/BM + 1/BN of them are left.
// Costs     64 registers for the sums alone: a third of the warps that an SM could hold.
// Gain      over rung 4, published on an A6000: 1.9 times.

constexpr unsigned int kTile = 128, kDepth = 8, kOwn = 8, kThreads = 256;
constexpr unsigned int kParts = kTile * kDepth / kThreads; // words of either tile that a thread copies

/// A word, or zero outside the matrix: a load under a predicate, without a branch around it.
__device__ float wordIf(const float* at, bool inside)
{
    float word;
    asm("{ .reg .pred p; setp.ne.u32 p, %2, 0; mov.f32 %0, 0f00000000; @p ld.global.nc.f32 %0, [%1]; }"
        : "=f"(word)
        : "l"(at), "r"((unsigned int)inside));
    return word;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    matmul_square_tile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, unsigned int m,
                       unsigned int n, unsigned int k)
{
    __shared__ float aTile[kTile][kDepth], bTile[kDepth][kTile];
    unsigned int t = threadIdx.x, x = t % (kTile / kOwn) * kOwn, y = t / (kTile / kOwn) * kOwn;
    unsigned int top = blockIdx.y * kTile, left = blockIdx.x * kTile;
    unsigned int aRow = t / kDepth, aColumn = t % kDepth, bRow = t / kTile, bColumn = t % kTile;
    const float* aFrom = a + (unsigned long long)(top + aRow) * k + aColumn;
    const float* bFrom = b + (unsigned long long)bRow * n + left + bColumn;
    float sum[kOwn][kOwn] = {};
    for (unsigned int at = 0; at < k; at += kDepth) {
        float fromA[kParts], fromB[kParts]; // all on their way before the first is needed
#pragma unroll
        for (unsigned int part = 0; part < kParts; ++part) {
            fromA[part] = wordIf(aFrom + (unsigned long long)part * kThreads / kDepth * k + at,
                                 top + aRow + part * kThreads / kDepth < m && at + aColumn < k);
            fromB[part] = wordIf(bFrom + (unsigned long long)(at + part * kThreads / kTile) * n,
                                 at + bRow + part * kThreads / kTile < k && left + bColumn < n);
        }
#pragma unroll
        for (unsigned int part = 0; part < kParts; ++part) {
            aTile[aRow + part * kThreads / kDepth][aColumn] = fromA[part];
            bTile[bRow + part * kThreads / kTile][bColumn] = fromB[part];
        }
        __syncthreads();
#pragma unroll
        for (unsigned int i = 0; i < kDepth; ++i) {
            float rows[kOwn], columns[kOwn];
#pragma unroll
            for (unsigned int r = 0; r < kOwn; ++r)
                rows[r] = aTile[y + r][i];
#pragma unroll
            for (unsigned int s = 0; s < kOwn; ++s)
                columns[s] = bTile[i][x + s];
#pragma unroll
            for (unsigned int r = 0; r < kOwn; ++r)
#pragma unroll
                for (unsigned int s = 0; s < kOwn; ++s)
                    sum[r][s] = __fmaf_rn(rows[r], columns[s], sum[r][s]);
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned int r = 0; r < kOwn; ++r)
#pragma unroll
        for (unsigned int s = 0; s < kOwn; ++s)
            if (top + y + r < m && left + x + s < n)
                c[(unsigned long long)(top + y + r) * n + left + x + s] = sum[r][s];
}
