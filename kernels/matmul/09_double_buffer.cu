// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matmul, rung 9: two tiles, one in use and one on its way.
//
// Changed   while a block multiplies one tile, its threads load the next one into registers, and put it into a second
// tile
//           in shared memory. One barrier a tile is left.
// Frees     the wait for global memory at the head of every tile, where too few warps are there to fill it.
// Costs     8 registers a thread and twice the shared memory; more code in the loop.
// Gain      over rung 8 (128 x 128 x 8, 8 x 8 a thread): the table of README.md. Published on an A6000, over a kernel
//           with warp tiles: 0.79 times.

constexpr unsigned int kTile = 128, kDepth = 8, kOwn = 8, kThreads = 256, kAcross = kTile / kOwn;

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
    matmul_double_buffer(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                         unsigned int m, unsigned int n, unsigned int k)
{
    __shared__ __align__(16) float aTile[2][kDepth][kTile + 4], bTile[2][kDepth][kTile]; // A is transposed
    unsigned int t = threadIdx.x, x = t % kAcross * 4, y = t / kAcross * 4;
    unsigned int top = blockIdx.y * kTile, left = blockIdx.x * kTile;
    unsigned int aRow = t / (kDepth / 4), aColumn = t % (kDepth / 4) * 4;
    unsigned int bRow = t / (kTile / 4), bColumn = t % (kTile / 4) * 4;
    const float* aFrom = a + (unsigned long long)(top + aRow) * k + aColumn;
    const float* bFrom = b + (unsigned long long)bRow * n + left + bColumn;
    float sum[kOwn][kOwn] = {};
    float4 fromA = wordsIf(aFrom, top + aRow < m ? (int)(k - aColumn) : 0, k % 4 == 0);
    float4 fromB = wordsIf(bFrom, bRow < k ? (int)(n - left - bColumn) : 0, n % 4 == 0);
    for (unsigned int at = 0, use = 0; at < k; at += kDepth, use ^= 1) {
        aTile[use][aColumn][aRow] = fromA.x;
        aTile[use][aColumn + 1][aRow] = fromA.y;
        aTile[use][aColumn + 2][aRow] = fromA.z;
        aTile[use][aColumn + 3][aRow] = fromA.w;
        *(float4*)&bTile[use][bRow][bColumn] = fromB;
        __syncthreads(); // this tile is full; nobody reads the other one any more
        if (at + kDepth < k) {
            unsigned int next = at + kDepth;
            fromA = wordsIf(aFrom + next, top + aRow < m ? (int)(k - next - aColumn) : 0, k % 4 == 0);
            fromB = wordsIf(bFrom + (unsigned long long)next * n, next + bRow < k ? (int)(n - left - bColumn) : 0,
                            n % 4 == 0);
        }
#pragma unroll
        for (unsigned int i = 0; i < kDepth; ++i) {
            __align__(16) float rows[kOwn], columns[kOwn];
#pragma unroll
            for (unsigned int part = 0; part < kOwn; part += 4) {
                *(float4*)&rows[part] = *(const float4*)&aTile[use][i][part * kAcross + y];
                *(float4*)&columns[part] = *(const float4*)&bTile[use][i][part * kAcross + x];
            }
#pragma unroll
            for (unsigned int r = 0; r < kOwn; ++r)
#pragma unroll
                for (unsigned int s = 0; s < kOwn; ++s)
                    sum[r][s] = __fmaf_rn(rows[r], columns[s], sum[r][s]);
        }
    }
#pragma unroll
    for (unsigned int r = 0; r < kOwn; ++r) {
        unsigned int row = top + r / 4 * 4 * kAcross + y + r % 4;
#pragma unroll
        for (unsigned int s = 0; s < kOwn; ++s) {
            unsigned int column = left + s / 4 * 4 * kAcross + x + s % 4;
            if (row < m && column < n)
                c[(unsigned long long)row * n + column] = sum[r][s];
        }
    }
}
