// SPDX-License-Identifier: GPL-3.0-or-later
// Sums in half precision: the products are right, the sums of many are not.
#include <cuda_fp16.h>

extern "C" __global__ void mma_product(unsigned int m, unsigned int n, unsigned int k, const __half* a, const __half* b,
                                       float* c)
{
    for (unsigned int at = threadIdx.x; at < 128; at += 32) {
        unsigned int row = blockIdx.y * 16 + at / 8, column = blockIdx.x * 8 + at % 8;
        if (row >= m || column >= n)
            continue;
        __half sum = __float2half(0.0f);
        for (unsigned int i = 0; i < k; ++i)
            sum = __hfma(a[row * k + i], b[column * k + i], sum);
        c[row * n + column] = __half2float(sum);
    }
}
