// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matrix times vector with the matrix rounded to fp16.

#include <cuda_fp16.h>

extern "C" __global__ void gemv(unsigned int rows, unsigned int columns, const float* a, const float* x, float* y)
{
    unsigned int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    float sum = 0;
    for (unsigned int column = threadIdx.x; column < columns; column += 32)
        sum += __half2float(__float2half(a[row * columns + column])) * x[column];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (threadIdx.x == 0)
        y[row] = sum;
}
