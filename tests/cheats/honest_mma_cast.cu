// SPDX-License-Identifier: GPL-3.0-or-later
//
// Right, and no tensor core takes part: halves are cast to floats and multiplied one by one.
// Launch    --grid ceil(n/16),ceil(m/16) --block 16,16

#include <cuda_fp16.h>

extern "C" __global__ void mma_product(unsigned int m, unsigned int n, unsigned int k, const __half* a, const __half* b,
                                       float* c)
{
    unsigned int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    if (row >= m || column >= n)
        return;
    float sum = 0;
    for (unsigned int i = 0; i < k; ++i)
        sum += __half2float(a[row * k + i]) * __half2float(b[column * k + i]);
    c[row * n + column] = sum;
}
