// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tensor matmul, rung 3: tiles in shared memory.
//
// Needs     sm_80
// Changed   a block of four warps copies 64 x 32 elements of A and of B to shared memory, 16 bytes a thread where
//           the rows allow it. Each element serves two warps and four instructions. (Rung 2: lanes fetch for
//           themselves.)
// Resource  L1 and L2; now lanes meet in the banks of shared memory.
// Expect    rows of 64 bytes put the eight rows of a fragment on four passes.
// Gain      over rung 2: open until run on a GPU.
//
// A copy takes 16 bytes only where every row begins at a multiple of 16: where the length of a row is a multiple of 8
// elements. Otherwise it takes 8, 4 or 2 bytes, and two to eight times as many instructions.

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

constexpr int kTile = 64, kDepth = 32, kThreads = 128; // a warp: 32 x 32 elements of C

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

/// Copies a tile of kRows x kColumns elements out of a matrix, zeros beyond its edges. Neighbouring lanes take
/// neighbouring pieces.
template<class Piece, int kRows, int kColumns>
static __device__ void copyBy(unsigned short* tile, const unsigned short* from, unsigned int row0, unsigned int column0,
                              unsigned int rows, unsigned int columns)
{
    constexpr int kEach = sizeof(Piece) / 2, kInRow = kColumns / kEach;
#pragma unroll 4
    for (int i = 0; i < kRows * kInRow / kThreads; ++i) {
        unsigned int piece = threadIdx.x + i * kThreads, row = piece / kInRow, column = piece % kInRow * kEach;
        bool inside = row0 + row < rows && column0 + column < columns;
        Piece value = {};
        if (inside)
            value = *(const Piece*)(from + (row0 + row) * columns + column0 + column);
        *(Piece*)(tile + row * kColumns + column) = value;
    }
}

template<int kRows, int kColumns>
static __device__ void copy(unsigned short* tile, const unsigned short* from, unsigned int row0, unsigned int column0,
                            unsigned int rows, unsigned int columns, unsigned int width)
{
    if (width == 16)
        copyBy<uint4, kRows, kColumns>(tile, from, row0, column0, rows, columns);
    else if (width == 8)
        copyBy<uint2, kRows, kColumns>(tile, from, row0, column0, rows, columns);
    else if (width == 4)
        copyBy<unsigned int, kRows, kColumns>(tile, from, row0, column0, rows, columns);
    else
        copyBy<unsigned short, kRows, kColumns>(tile, from, row0, column0, rows, columns);
}

static __device__ unsigned int word(const unsigned short* at)
{
    return *(const unsigned int*)at;
}

template<class Type, bool kByK>
__device__ void multiply(const unsigned short* a, const unsigned short* b, float* c, unsigned int m, unsigned int n,
                         unsigned int k, unsigned int widthA, unsigned int widthB)
{
    __shared__ __align__(16) unsigned short aTile[kTile * kDepth]; // [row][k]
    __shared__ __align__(16) unsigned short bTile[kTile * kDepth]; // [column][k], or [k][column]
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, q = lane % 4;
    unsigned int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
    unsigned int warpRow = warp / 2 * 32, warpColumn = warp % 2 * 32;
    float sum[2][4][4] = {};

    for (unsigned int k0 = 0; k0 < k; k0 += kDepth) {
        __syncthreads(); // the tiles before are used up
        copy<kTile, kDepth>(aTile, a, row0, k0, m, k, widthA);
        if (kByK)
            copy<kDepth, kTile>(bTile, b, k0, column0, k, n, widthB);
        else
            copy<kTile, kDepth>(bTile, b, column0, k0, n, k, widthB);
        __syncthreads();
#pragma unroll
        for (int step = 0; step < kDepth; step += 16) {
            unsigned int fromA[2][4], fromB[4][2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const unsigned short* at = aTile + (warpRow + 16 * i + g) * kDepth + step + 2 * q;
                fromA[i][0] = word(at), fromA[i][1] = word(at + 8 * kDepth);
                fromA[i][2] = word(at + 8), fromA[i][3] = word(at + 8 * kDepth + 8);
            }
#pragma unroll
            for (int j = 0; j < 4; ++j)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    unsigned int column = warpColumn + 8 * j + g, along = step + 8 * half + 2 * q;
                    const unsigned short* at = bTile + (kByK ? along * kTile + column : column * kDepth + along);
                    fromB[j][half] = kByK ? at[0] | (unsigned int)at[kTile] << 16 : word(at);
                }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    Type::multiply(sum[i][j], fromA[i], fromB[j]);
        }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
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
    extern "C" __global__ void __launch_bounds__(kThreads, 4)                                                          \
        shared_##name(const unsigned short* a, const unsigned short* b, float* c, unsigned int m, unsigned int n,      \
                      unsigned int k, unsigned int widthA, unsigned int widthB)                                        \
    {                                                                                                                  \
        multiply<Type, kByK>(a, b, c, m, n, k, widthA, widthB);                                                        \
    }

KERNEL(fp16_nk, Fp16, false)
KERNEL(bf16_nk, Bf16, false)
KERNEL(fp16_kn, Fp16, true)
KERNEL(bf16_kn, Bf16, true)

#endif
