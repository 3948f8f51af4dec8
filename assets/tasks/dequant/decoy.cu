// SPDX-License-Identifier: GPL-3.0-or-later
//
// The product with the vector rounded to fp16.

#include <cuda_fp16.h>

extern "C" __global__ void dequant(unsigned int rows, unsigned int groups, const signed char* q, const float* scale,
                                   const float* x, float* y)
{
    unsigned int row = blockIdx.x * blockDim.y + threadIdx.y, columns = 32 * groups;
    if (row >= rows)
        return;
    float sum = 0;
    for (unsigned int column = threadIdx.x; column < columns; column += 32)
        sum += scale[row * groups + column / 32] * q[row * columns + column] * __half2float(__float2half(x[column]));
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (threadIdx.x == 0)
        y[row] = sum;
}
