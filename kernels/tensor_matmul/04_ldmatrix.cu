// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tensor matmul, rung 4: XOR swizzle and ldmatrix.
//
// Needs     sm_80
// Changed   one ldmatrix hands a warp four 8 x 8 matrices, already spread over the lanes as mma wants them. B that
//           lies row by row is transposed on the way. The 16-byte pieces of a row are exchanged by XOR with the row's
//           number, so that eight rows lie in eight different groups of four banks. (Rung 3: 32-bit loads, four passes
//           each.)
// Resource  shared-memory passes and load instructions: a quarter of them is left.
// Expect    no bank conflict in reading; the block still stops for its copies.
// Gain      over rung 3: open until run on a GPU.
//
// Copies are as wide as the rows allow, as in rung 3.

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

/// Where an element of a tile lies: its 16-byte piece is exchanged with another one of the row. Two rows of 64 bytes
/// share the 32 banks, longer rows have all of them.
template<int kColumns>
static __device__ unsigned int swizzled(unsigned int row, unsigned int column)
{
    unsigned int flip = kColumns == 32 ? row / 2 % 4 : row % 8;
    return row * kColumns + (column ^ flip * 8);
}

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
        *(Piece*)(tile + swizzled<kColumns>(row, column)) = value;
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
            unsigned int fromA[2][4], fromB[2][4]; // of B: k 0-7 and 8-15 of one column block, then of the next
#pragma unroll
            for (int i = 0; i < 2; ++i)
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
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    Type::multiply(sum[i][j], fromA[i], fromB[j / 2] + j % 2 * 2);
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
        ldmatrix_##name(const unsigned short* a, const unsigned short* b, float* c, unsigned int m, unsigned int n,    \
                        unsigned int k, unsigned int widthA, unsigned int widthB)                                      \
    {                                                                                                                  \
        multiply<Type, kByK>(a, b, c, m, n, k, widthA, widthB);                                                        \
    }

KERNEL(fp16_nk, Fp16, false)
KERNEL(bf16_nk, Bf16, false)
KERNEL(fp16_kn, Fp16, true)
KERNEL(bf16_kn, Bf16, true)

#endif
