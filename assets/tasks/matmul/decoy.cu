// SPDX-License-Identifier: GPL-3.0-or-later
//
// The matrix product with its factors rounded to fp16, as a tensor core takes them.

#include <cuda_fp16.h>

extern "C" __global__ void matmul(unsigned int m, unsigned int n, unsigned int k, const float* a, const float* b,
                                  float* c)
{
    unsigned int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    if (row >= m || column >= n)
        return;
    float sum = 0;
    for (unsigned int i = 0; i < k; ++i)
        sum += __half2float(__float2half(a[row * k + i])) * __half2float(__float2half(b[i * n + column]));
    c[row * n + column] = sum;
}
