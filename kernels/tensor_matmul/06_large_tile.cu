// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tensor matmul, rung 6: a larger tile, and three of them.
//
// Needs     sm_80
// Changed   a block of eight warps computes 128 x 128 elements, a warp 64 x 32: sixteen products for six
//           ldmatrix instead of eight for four. Three pairs of tiles, so that two copies are under way. (Rung 5: 64 x
//           64 and two.)
// Resource  bytes from L2, half as many for each product, and passes through shared memory.
// Expect    a slower rung where 128 x 128 tiles do not fill the chip. Where they do, less traffic; on a simulated A100
//           that is no time gained yet (2048 x 2048 x 512: 49.3 us, rung 5 49.5 us).
// Gain      over rung 5: open until run on a GPU.

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

constexpr int kTile = 128, kDepth = 32, kThreads = 256, kStages = 3; // a warp: 64 x 32 elements of C
constexpr int kTileSize = kTile * kDepth;

#define PRODUCT(type)                                                                                                  \
    static __device__ void multiply(float* c, const unsigned int* a, const unsigned int* b)                            \
    {                                                                                                                  \
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                                            \
                     ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                            \
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                                  \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                              \
    }

struct Fp16 {
    PRODUCT("f16")
};
struct Bf16 {
    PRODUCT("bf16")
};

/// Where an element of a tile lies: its 16-byte piece is exchanged with another one of the row. Two rows of 64 bytes
/// share the 32 banks, longer rows have all of them.
template<int kColumns>
static __device__ unsigned int swizzled(unsigned int row, unsigned int column)
{
    unsigned int flip = kColumns == 32 ? row / 2 % 4 : row % 8;
    return row * kColumns + (column ^ flip * 8);
}

/// Starts the copy of a piece; of a piece beyond the edge zeros are written.
template<int kBytes>
static __device__ void start(unsigned short* to, const unsigned short* from, bool inside)
{
    unsigned int at = (unsigned int)__cvta_generic_to_shared(to);
    unsigned int bytes = inside ? kBytes : 0;
    if (kBytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(bytes) : "memory");
    else if (kBytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(from), "r"(bytes) : "memory");
    else if (kBytes == 4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(from), "r"(bytes) : "memory");
    else
        *to = inside ? *from : (unsigned short)0; // the slow path: through a register, at once
}

/// Copies a tile of kRows x kColumns elements out of a matrix, zeros beyond its edges. Neighbouring lanes take
/// neighbouring pieces.
template<int kBytes, int kRows, int kColumns>
static __device__ void copyBy(unsigned short* tile, const unsigned short* from, unsigned int row0, unsigned int column0,
                              unsigned int rows, unsigned int columns)
{
    constexpr int kEach = kBytes / 2, kInRow = kColumns / kEach;
#pragma unroll 4
    for (int i = 0; i < kRows * kInRow / kThreads; ++i) {
        unsigned int piece = threadIdx.x + i * kThreads, row = piece / kInRow, column = piece % kInRow * kEach;
        bool inside = row0 + row < rows && column0 + column < columns;
        unsigned int at = inside ? (row0 + row) * columns + column0 + column : 0;
        start<kBytes>(tile + swizzled<kColumns>(row, column), from + at, inside);
    }
}

template<int kRows, int kColumns>
static __device__ void copy(unsigned short* tile, const unsigned short* from, unsigned int row0, unsigned int column0,
                            unsigned int rows, unsigned int columns, unsigned int width)
{
    if (width == 16)
        copyBy<16, kRows, kColumns>(tile, from, row0, column0, rows, columns);
    else if (width == 8)
        copyBy<8, kRows, kColumns>(tile, from, row0, column0, rows, columns);
    else if (width == 4)
        copyBy<4, kRows, kColumns>(tile, from, row0, column0, rows, columns);
    else
        copyBy<2, kRows, kColumns>(tile, from, row0, column0, rows, columns);
}

/// Four 8 x 8 matrices: lane l gives the address of row l % 8 of matrix l / 8, and gets of each matrix the elements 2q
/// and 2q + 1 of row g; transposed, of column g.
static __device__ void load(unsigned int* to, const unsigned short* from)
{
    unsigned int at = (unsigned int)__cvta_generic_to_shared(from);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at));
}
static __device__ void loadTransposed(unsigned int* to, const unsigned short* from)
{
    unsigned int at = (unsigned int)__cvta_generic_to_shared(from);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at));
}

template<class Type, bool kByK>
__device__ void multiply(const unsigned short* a, const unsigned short* b, float* c, unsigned int m, unsigned int n,
                         unsigned int k, unsigned int widthA, unsigned int widthB)
{
    __shared__ __align__(16) unsigned short aTiles[kStages][kTileSize]; // [row][k]
    __shared__ __align__(16) unsigned short bTiles[kStages][kTileSize]; // [column][k], or [k][column]
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, q = lane % 4;
    unsigned int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
    unsigned int warpRow = warp / 4 * 64, warpColumn = warp % 4 * 32;
    float sum[4][4][4] = {};

    const unsigned int steps = (k + kDepth - 1) / kDepth;
    const auto fetch = [&](unsigned int step) {
        if (step < steps) {
            unsigned short *aTile = aTiles[step % kStages], *bTile = bTiles[step % kStages];
            copy<kTile, kDepth>(aTile, a, row0, step * kDepth, m, k, widthA);
            if (kByK)
                copy<kDepth, kTile>(bTile, b, step * kDepth, column0, k, n, widthB);
            else
                copy<kTile, kDepth>(bTile, b, column0, step * kDepth, n, k, widthB);
        }
        asm volatile("cp.async.commit_group;" ::: "memory"); // empty behind the last step, so that counting goes on
    };
    for (unsigned int first = 0; first < kStages - 1; ++first)
        fetch(first);

    for (unsigned int at = 0; at < steps; ++at) {
        asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
        __syncthreads(); // this step's tiles are there, and the oldest ones are used up
        fetch(at + kStages - 1);
        const unsigned short *aTile = aTiles[at % kStages], *bTile = bTiles[at % kStages];
#pragma unroll
        for (int step = 0; step < kDepth; step += 16) {
            unsigned int fromA[4][4], fromB[2][4]; // of B: k 0-7 and 8-15 of one column block, then of the next
#pragma unroll
            for (int i = 0; i < 4; ++i)
                load(fromA[i], aTile + swizzled<kDepth>(warpRow + 16 * i + lane % 16, step + lane / 16 * 8));
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                unsigned int column = warpColumn + 16 * j;
                if (kByK)
                    loadTransposed(fromB[j], bTile + swizzled<kTile>(step + lane % 16, column + lane / 16 * 8));
                else
                    load(fromB[j],
                         bTile + swizzled<kDepth>(column + lane / 16 * 8 + lane % 8, step + lane / 8 % 2 * 8));
            }
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    Type::multiply(sum[i][j], fromA[i], fromB[j / 2] + j % 2 * 2);
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                unsigned int row = row0 + warpRow + 16 * i + g + e / 2 * 8;
                unsigned int column = column0 + warpColumn + 8 * j + 2 * q + e % 2;
                if (row < m && column < n)
                    c[row * n + column] = sum[i][j][e];
            }
}

#define KERNEL(name, Type, kByK)                                                                                       \
    extern "C" __global__ void __launch_bounds__(kThreads, 2)                                                          \
        large_tile_##name(const unsigned short* a, const unsigned short* b, float* c, unsigned int m, unsigned int n,  \
                          unsigned int k, unsigned int widthA, unsigned int widthB)                                    \
    {                                                                                                                  \
        multiply<Type, kByK>(a, b, c, m, n, k, widthA, widthB);                                                        \
    }

KERNEL(fp16_nk, Fp16, false)
KERNEL(bf16_nk, Bf16, false)
KERNEL(fp16_kn, Fp16, true)
KERNEL(bf16_kn, Bf16, true)

#endif
