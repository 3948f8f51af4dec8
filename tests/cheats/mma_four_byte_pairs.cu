// SPDX-License-Identifier: GPL-3.0-or-later
//
// The solution, but a pair is one load of 4 bytes: where k is odd, every second row begins between two of them.
// Launch    --grid ceil(n/8),ceil(m/16) --block 32

#include <cuda_fp16.h>

static __device__ unsigned int pair(const __half* line, bool exists, unsigned int along, unsigned int k)
{
    if (exists && along + 1 < k)
        return *(const unsigned int*)(line + along);
    return exists && along < k ? __half_as_ushort(line[along]) : 0;
}

/// c += a b for the whole warp: 16 x 16 by 16 x 8.
static __device__ void multiply(float* c, const unsigned int* a, const unsigned int* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void mma_product(unsigned int m, unsigned int n, unsigned int k, const __half* a, const __half* b,
                                       float* c)
{
    unsigned int g = threadIdx.x / 4, q = threadIdx.x % 4; // the lane is 4 g + q
    unsigned int row = blockIdx.y * 16, column = blockIdx.x * 8;
    float sum[4] = {0, 0, 0, 0};
    for (unsigned int step = 0; step < k; step += 16) {
        unsigned int fromA[4] = {0, 0, 0, 0}, fromB[2] = {0, 0};
        const __half* upper = a + (row + g) * k;
        const __half* lower = a + (row + g + 8) * k;
        const __half* down = b + (column + g) * k;
        unsigned int along = step + 2 * q;
        fromA[0] = pair(upper, row + g < m, along, k);
        fromA[1] = pair(lower, row + g + 8 < m, along, k);
        fromA[2] = pair(upper, row + g < m, along + 8, k);
        fromA[3] = pair(lower, row + g + 8 < m, along + 8, k);
        fromB[0] = pair(down, column + g < n, along, k);
        fromB[1] = pair(down, column + g < n, along + 8, k);
        multiply(sum, fromA, fromB);
    }
    for (unsigned int i = 0; i < 4; ++i) {
        unsigned int down = row + g + i / 2 * 8, across = column + 2 * q + i % 2;
        if (down < m && across < n)
            c[down * n + across] = sum[i];
    }
}
