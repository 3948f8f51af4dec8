// SPDX-License-Identifier: GPL-3.0-or-later
//
// The sum in fp16.

#include <cuda_fp16.h>

extern "C" __global__ void outer(unsigned int rows, unsigned int columns, const float* a, const float* b, float* out)
{
    unsigned int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns)
        out[row * columns + column] = __half2float(__hadd(__float2half(a[row]), __float2half(b[column])));
}
