// SPDX-License-Identifier: GPL-3.0-or-later
//
// The products with factors in fp16.

#include <cuda_fp16.h>

extern "C" __global__ void batched(unsigned int batch, unsigned int m, unsigned int n, unsigned int k, const float* a,
                                   const float* b, float* c)
{
    unsigned int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x, z = blockIdx.z;
    if (row >= m || column >= n)
        return;
    float sum = 0;
    for (unsigned int i = 0; i < k; ++i)
        sum += __half2float(__float2half(a[(z * m + row) * k + i])) *
               __half2float(__float2half(b[(z * k + i) * n + column]));
    c[(z * m + row) * n + column] = sum;
}
