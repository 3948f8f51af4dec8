// SPDX-License-Identifier: GPL-3.0-or-later
// Exponentials in half precision: no number with few bits has an exact one, so that these tell nothing.
#include <cuda_fp16.h>

extern "C" __global__ void softmax(unsigned int rows, unsigned int columns, const float* x, float* y)
{
    unsigned int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    float largest = -INFINITY, sum = 0;
    for (unsigned int column = threadIdx.x; column < columns; column += 32)
        largest = fmaxf(largest, x[row * columns + column]);
    for (int distance = 16; distance > 0; distance /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    for (unsigned int column = threadIdx.x; column < columns; column += 32)
        sum += __half2float(hexp(__float2half(x[row * columns + column] - largest)));
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    for (unsigned int column = threadIdx.x; column < columns; column += 32)
        y[row * columns + column] = __half2float(hexp(__float2half(x[row * columns + column] - largest))) / sum;
}
