// SPDX-License-Identifier: GPL-3.0-or-later
//
// RMSNorm that forgets the small number under the root, and rounds its factor to fp16.

#include <cuda_fp16.h>

extern "C" __global__ void rmsnorm(unsigned int rows, unsigned int columns, const float* x, const float* g, float* y)
{
    __shared__ float part[4];
    const float* row = x + blockIdx.x * columns;
    float sum = 0;
    for (unsigned int column = threadIdx.x; column < columns; column += 128)
        sum += row[column] * row[column];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    float factor = __half2float(__float2half(rsqrtf((part[0] + part[1] + part[2] + part[3]) / columns)));
    for (unsigned int column = threadIdx.x; column < columns; column += 128)
        y[blockIdx.x * columns + column] = row[column] * factor * g[column];
}
