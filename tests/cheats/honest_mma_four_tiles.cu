// SPDX-License-Identifier: GPL-3.0-or-later
//
// A warp computes 16 x 32 elements: one fragment of A serves four products.
// Launch    --grid ceil(n/32),ceil(m/16) --block 32

#include <cuda_fp16.h>

__device__ unsigned int two(const __half* line, bool exists, unsigned int along, unsigned int k)
{
    if (!exists || along >= k)
        return 0;
    unsigned int low = __half_as_ushort(line[along]);
    return along + 1 < k ? low | (unsigned int)__half_as_ushort(line[along + 1]) << 16 : low;
}

extern "C" __global__ void mma_product(unsigned int m, unsigned int n, unsigned int k, const __half* a, const __half* b,
                                       float* c)
{
    unsigned int row = blockIdx.y * 16 + threadIdx.x / 4, q = threadIdx.x % 4;
    float sum[4][4] = {};
    for (unsigned int step = 2 * q; step < k + 2 * q; step += 16) {
        unsigned int x[4];
        for (int i = 0; i < 4; ++i)
            x[i] = two(a + (row + i % 2 * 8) * k, row + i % 2 * 8 < m, step + i / 2 * 8, k);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            unsigned int column = blockIdx.x * 32 + 8 * j + threadIdx.x / 4;
            unsigned int y0 = two(b + column * k, column < n, step, k);
            unsigned int y1 = two(b + column * k, column < n, step + 8, k);
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                         "{%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
                         : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y0), "r"(y1));
        }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 4; ++i) {
            unsigned int down = row + i / 2 * 8, column = blockIdx.x * 32 + 8 * j + 2 * q + i % 2;
            if (down < m && column < n)
                c[down * n + column] = sum[j][i];
        }
}
