// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matmul, rung 6: sixteen bytes at a time.
//
// Changed   A is written to shared memory transposed, so that the eight words of A that a thread needs lie side by
// side;
//           global and shared memory are read, and C is written, four words at a time.
// Frees     load instructions: 4 of 16 bytes for 64 multiply-adds instead of 16 of 4, and a quarter of the requests to
//           global memory.
// Costs     the rows of A and B must be multiples of 16 bytes long; others are copied word by word.
// Gain      over rung 5, published on an A6000: 1.14 times.

constexpr unsigned int kTile = 128, kDepth = 8, kOwn = 8, kThreads = 256;

/// A word, or zero outside the matrix: a load under a predicate, without a branch around it.
__device__ float wordIf(const float* at, bool inside)
{
    float word;
    asm("{ .reg .pred p; setp.ne.u32 p, %2, 0; mov.f32 %0, 0f00000000; @p ld.global.nc.f32 %0, [%1]; }"
        : "=f"(word)
        : "l"(at), "r"((unsigned int)inside));
    return word;
}

/// Four words in order, of which the first `inside` lie in their row; zeros for the others. `aligned`: rows are whole
/// vectors of 16 bytes, so that all four lie inside or none does.
__device__ float4 wordsIf(const float* at, int inside, bool aligned)
{
    float4 words;
    if (aligned)
        asm("{ .reg .pred p; .reg .f32 z; setp.gt.s32 p, %5, 0; mov.f32 z, 0f00000000; mov.f32 %0, z; mov.f32 %1, z;"
            " mov.f32 %2, z; mov.f32 %3, z; @p ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4]; }"
            : "=f"(words.x), "=f"(words.y), "=f"(words.z), "=f"(words.w)
            : "l"(at), "r"(inside));
    else
        words = make_float4(wordIf(at, inside > 0), wordIf(at + 1, inside > 1), wordIf(at + 2, inside > 2),
                            wordIf(at + 3, inside > 3));
    return words;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    matmul_vector(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, unsigned int m,
                  unsigned int n, unsigned int k)
{
    __shared__ __align__(16) float aTile[kDepth][kTile], bTile[kDepth][kTile]; // A is transposed
    unsigned int t = threadIdx.x, x = t % (kTile / kOwn) * kOwn, y = t / (kTile / kOwn) * kOwn;
    unsigned int top = blockIdx.y * kTile, left = blockIdx.x * kTile;
    unsigned int aRow = t / (kDepth / 4), aColumn = t % (kDepth / 4) * 4;
    unsigned int bRow = t / (kTile / 4), bColumn = t % (kTile / 4) * 4;
    const float* aFrom = a + (unsigned long long)(top + aRow) * k + aColumn;
    const float* bFrom = b + (unsigned long long)bRow * n + left + bColumn;
    float sum[kOwn][kOwn] = {};
    for (unsigned int at = 0; at < k; at += kDepth) {
        float4 fromA = wordsIf(aFrom + at, top + aRow < m ? (int)(k - at - aColumn) : 0, k % 4 == 0);
        float4 fromB =
            wordsIf(bFrom + (unsigned long long)at * n, at + bRow < k ? (int)(n - left - bColumn) : 0, n % 4 == 0);
        aTile[aColumn][aRow] = fromA.x;
        aTile[aColumn + 1][aRow] = fromA.y;
        aTile[aColumn + 2][aRow] = fromA.z;
        aTile[aColumn + 3][aRow] = fromA.w;
        *(float4*)&bTile[bRow][bColumn] = fromB;
        __syncthreads();
#pragma unroll
        for (unsigned int i = 0; i < kDepth; ++i) {
            float rows[kOwn], columns[kOwn];
#pragma unroll
            for (unsigned int part = 0; part < kOwn; part += 4) {
                *(float4*)&rows[part] = *(const float4*)&aTile[i][y + part];
                *(float4*)&columns[part] = *(const float4*)&bTile[i][x + part];
            }
#pragma unroll
            for (unsigned int r = 0; r < kOwn; ++r)
#pragma unroll
                for (unsigned int s = 0; s < kOwn; ++s)
                    sum[r][s] = __fmaf_rn(rows[r], columns[s], sum[r][s]);
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned int r = 0; r < kOwn; ++r) {
        if (top + y + r >= m)
            break;
        float* to = c + (unsigned long long)(top + y + r) * n + left + x;
#pragma unroll
        for (unsigned int s = 0; s < kOwn; s += 4)
            if (n % 4 == 0) {
                if (left + x + s < n)
                    *(float4*)(to + s) = make_float4(sum[r][s], sum[r][s + 1], sum[r][s + 2], sum[r][s + 3]);
            } else {
                for (unsigned int e = s; e < s + 4; ++e)
                    if (left + x + e < n)
                        to[e] = sum[r][e];
            }
    }
}
