// SPDX-License-Identifier: GPL-3.0-or-later
//
// The matrix product with its sums kept in fp16.

#include <cuda_fp16.h>

extern "C" __global__ void mma_product(unsigned int m, unsigned int n, unsigned int k, const __half* a, const __half* b,
                                       float* c)
{
    unsigned int row = blockIdx.y * 16 + threadIdx.x / 2, column = blockIdx.x * 8 + threadIdx.x % 2 * 4;
    for (unsigned int j = 0; j < 4; ++j) {
        if (row >= m || column + j >= n)
            continue;
        __half sum = __float2half(0);
        for (unsigned int i = 0; i < k; ++i)
            sum = __hfma(a[row * k + i], b[(column + j) * k + i], sum);
        c[row * n + column + j] = __half2float(sum);
    }
}
