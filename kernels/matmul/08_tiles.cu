// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matmul, rung 8: tiles of many sizes.
//
// Changed   BM, BN and BK, the tile of a block, and TM x TN, the elements of a thread, are chosen for each launch out
// of
//           the kernels below. A thread's rows and columns are groups of four, and the groups of neighbours lie side by
//           side: no two lanes of a load from shared memory meet in a bank.
// Frees     bank conflicts, two passes for each load of B in rung 6. What a tile frees depends on its size: global
//           loads fall as 1/BM + 1/BN, loads from shared memory as 1/TM + 1/TN.
// Costs     TM x TN registers for the sums, and 4 BK (BM + 4 + BN) bytes of shared memory a block.
// Gain      over rung 6, published for a search over tiles on an A6000: 1.08 times.

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

/// `count` words of shared memory, aligned to as many bytes as they have.
template<unsigned int count>
__device__ void read(float* to, const float* from)
{
    if (count == 4)
        *(float4*)to = *(const float4*)from;
    else if (count == 2)
        *(float2*)to = *(const float2*)from;
    else
        *to = *from;
}

template<unsigned int BM, unsigned int BN, unsigned int BK, unsigned int TM, unsigned int TN>
__device__ void multiply(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                         unsigned int m, unsigned int n, unsigned int k)
{
    constexpr unsigned int across = BN / TN, down = BM / TM, threads = across * down;
    constexpr unsigned int groupM = TM < 4 ? TM : 4, groupN = TN < 4 ? TN : 4; // elements that lie side by side
    constexpr unsigned int partsA = (BM * BK / 4 + threads - 1) / threads;     // vectors that a thread copies
    constexpr unsigned int partsB = (BN * BK / 4 + threads - 1) / threads;
    __shared__ __align__(16) float aTile[BK][BM + 4], bTile[BK][BN]; // A is transposed
    unsigned int t = threadIdx.x, x = t % across, y = t / across;
    unsigned int top = blockIdx.y * BM, left = blockIdx.x * BN;
    float sum[TM][TN] = {};
    for (unsigned int at = 0; at < k; at += BK) {
        float4 fromA[partsA], fromB[partsB]; // all on their way before the first is needed
#pragma unroll
        for (unsigned int part = 0; part < partsA; ++part) {
            unsigned int i = part * threads + t, row = i / (BK / 4), column = i % (BK / 4) * 4;
            bool inside = row < BM && top + row < m;
            fromA[part] = wordsIf(a + (unsigned long long)(top + row) * k + at + column,
                                  inside ? (int)(k - at - column) : 0, k % 4 == 0);
        }
#pragma unroll
        for (unsigned int part = 0; part < partsB; ++part) {
            unsigned int i = part * threads + t, row = i / (BN / 4), column = i % (BN / 4) * 4;
            bool inside = row < BK && at + row < k;
            fromB[part] = wordsIf(b + (unsigned long long)(at + row) * n + left + column,
                                  inside ? (int)(n - left - column) : 0, n % 4 == 0);
        }
#pragma unroll
        for (unsigned int part = 0; part < partsA; ++part) {
            unsigned int i = part * threads + t, row = i / (BK / 4), column = i % (BK / 4) * 4;
            if (row < BM) {
                aTile[column][row] = fromA[part].x;
                aTile[column + 1][row] = fromA[part].y;
                aTile[column + 2][row] = fromA[part].z;
                aTile[column + 3][row] = fromA[part].w;
            }
        }
#pragma unroll
        for (unsigned int part = 0; part < partsB; ++part) {
            unsigned int i = part * threads + t;
            if (i / (BN / 4) < BK)
                *(float4*)&bTile[i / (BN / 4)][i % (BN / 4) * 4] = fromB[part];
        }
        __syncthreads();
#pragma unroll
        for (unsigned int i = 0; i < BK; ++i) {
            __align__(16) float rows[TM], columns[TN];
#pragma unroll
            for (unsigned int r = 0; r < TM; r += groupM)
                read<groupM>(&rows[r], &aTile[i][r * down + y * groupM]);
#pragma unroll
            for (unsigned int s = 0; s < TN; s += groupN)
                read<groupN>(&columns[s], &bTile[i][s * across + x * groupN]);
#pragma unroll
            for (unsigned int r = 0; r < TM; ++r)
#pragma unroll
                for (unsigned int s = 0; s < TN; ++s)
                    sum[r][s] = __fmaf_rn(rows[r], columns[s], sum[r][s]);
        }
        __syncthreads(); // the tiles are used up
    }
#pragma unroll
    for (unsigned int r = 0; r < TM; ++r) {
        unsigned int row = top + r / groupM * groupM * down + y * groupM + r % groupM;
#pragma unroll
        for (unsigned int s = 0; s < TN; ++s) {
            unsigned int column = left + s / groupN * groupN * across + x * groupN + s % groupN;
            if (row < m && column < n)
                c[(unsigned long long)row * n + column] = sum[r][s];
        }
    }
}

#define TILES(BM, BN, BK, TM, TN)                                                                                      \
    extern "C" __global__ void __launch_bounds__(BM / TM * (BN / TN)) matmul_tiles_##BM##_##BN##_##BK##_##TM##_##TN(   \
        const float* a, const float* b, float* c, unsigned int m, unsigned int n, unsigned int k)                      \
    {                                                                                                                  \
        multiply<BM, BN, BK, TM, TN>(a, b, c, m, n, k);                                                                \
    }
#define COLUMNS(BM, TM)                                                                                                \
    TILES(BM, 32, 8, TM, 2) TILES(BM, 64, 8, TM, 4) TILES(BM, 128, 8, TM, 8) TILES(BM, 256, 8, TM, 16)

// 16 x 16 threads: the larger the tile, the more elements a thread has.
COLUMNS(32, 2)
COLUMNS(64, 4)
COLUMNS(128, 8)
COLUMNS(256, 16)
// The same tile by fewer or more threads.
TILES(64, 64, 8, 2, 2)
TILES(64, 64, 8, 8, 8)
TILES(128, 128, 8, 4, 4)
TILES(128, 128, 8, 8, 4)
TILES(128, 128, 8, 16, 8)
// The same tile in longer steps along k.
TILES(64, 64, 16, 4, 4)
TILES(64, 64, 32, 4, 4)
TILES(128, 128, 16, 8, 8)
TILES(128, 128, 32, 8, 8)
