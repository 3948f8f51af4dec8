// SPDX-License-Identifier: GPL-3.0-or-later
//
// Factors of 8 bits, FP8 E4M3.
//
// Launch    --grid ceil(n/16),ceil(m/16) --block 16,16

#include <cuda_fp8.h>
extern "C" __global__ void matmul(unsigned int m, unsigned int n, unsigned int k, const float* a, const float* b,
                                  float* c)
{
    unsigned int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || column >= n)
        return;
    float sum = 0;
    for (unsigned int j = 0; j < k; ++j)
        sum += static_cast<float>(__nv_fp8_e4m3(a[row * k + j])) * static_cast<float>(__nv_fp8_e4m3(b[j * n + column]));
    c[row * n + column] = sum;
}
