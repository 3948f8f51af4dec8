// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tensor matmul, rung 2: mma.sync, fragments straight from global memory.
//
// Needs     sm_80
// Changed   a warp multiplies 16 x 16 by 16 x 8 elements with one instruction, mma.m16n8k16. (Rung 1: one multiply-add
//           a lane.) Each lane loads its own elements of A and B into registers: the fragment layout, written out.
// Resource  the FP32 lanes are free; the tensor cores wait for loads.
// Expect    far below the peak: a 4-byte load for every two elements, and each element is fetched by many warps.
// Gain      over rung 1: open until run on a GPU.
//
// Lane 4g + q holds of A rows g and g + 8, of B column g, of C rows g and g + 8; its k (its columns of C) are 2q and
// 2q + 1, and for the upper half of k the same plus 8.

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

constexpr int kWarpColumns = 32, kThreads = 128; // a warp: 16 x 32 elements of C; a block: 64 x 32

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

/// Elements `along` and `along` + 1 of a row, the first in the low half; zeros beyond the end. A row of odd length puts
/// every second pair on an odd multiple of 2 bytes, where a 4-byte load may not go.
static __device__ unsigned int pair(const unsigned short* row, bool inside, unsigned int along, unsigned int end,
                                    bool wide)
{
    if (!inside || along >= end)
        return 0;
    if (wide)
        return *(const unsigned int*)(row + along);
    return row[along] | (along + 1 < end ? (unsigned int)row[along + 1] << 16 : 0u);
}

/// The same two elements of B where they lie in neighbouring rows.
static __device__ unsigned int stacked(const unsigned short* b, unsigned int down, unsigned int column, unsigned int k,
                                       unsigned int n)
{
    if (column >= n || down >= k)
        return 0;
    return b[down * n + column] | (down + 1 < k ? (unsigned int)b[(down + 1) * n + column] << 16 : 0u);
}

template<class Type, bool kByK>
__device__ void multiply(const unsigned short* a, const unsigned short* b, float* c, unsigned int m, unsigned int n,
                         unsigned int k, bool wide)
{
    unsigned int lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
    unsigned int row = blockIdx.y * 64 + threadIdx.x / 32 * 16 + g, column0 = blockIdx.x * kWarpColumns;
    float sum[kWarpColumns / 8][4] = {};
    for (unsigned int k0 = 0; k0 < k; k0 += 16) {
        unsigned int low = k0 + 2 * q, high = low + 8;
        unsigned int fromA[4] = {
            pair(a + row * k, row < m, low, k, wide), pair(a + (row + 8) * k, row + 8 < m, low, k, wide),
            pair(a + row * k, row < m, high, k, wide), pair(a + (row + 8) * k, row + 8 < m, high, k, wide)};
#pragma unroll
        for (int j = 0; j < kWarpColumns / 8; ++j) {
            unsigned int column = column0 + 8 * j + g;
            unsigned int fromB[2];
            fromB[0] = kByK ? stacked(b, low, column, k, n) : pair(b + column * k, column < n, low, k, wide);
            fromB[1] = kByK ? stacked(b, high, column, k, n) : pair(b + column * k, column < n, high, k, wide);
            Type::multiply(sum[j], fromA, fromB);
        }
    }
#pragma unroll
    for (int j = 0; j < kWarpColumns / 8; ++j)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            unsigned int at = row + i / 2 * 8, column = column0 + 8 * j + 2 * q + i % 2;
            if (at < m && column < n)
                c[at * n + column] = sum[j][i];
        }
}

#define KERNEL(name, Type, kByK)                                                                                       \
    extern "C" __global__ void __launch_bounds__(kThreads)                                                             \
        global_##name(const unsigned short* a, const unsigned short* b, float* c, unsigned int m, unsigned int n,      \
                      unsigned int k, unsigned int widthA, unsigned int)                                               \
    {                                                                                                                  \
        multiply<Type, kByK>(a, b, c, m, n, k, widthA >= 4);                                                           \
    }

KERNEL(fp16_nk, Fp16, false)
KERNEL(bf16_nk, Bf16, false)
KERNEL(fp16_kn, Fp16, true)
KERNEL(bf16_kn, Bf16, true)

#endif
