// SPDX-License-Identifier: GPL-3.0-or-later
//
// A transpose that moves half the bytes of its tile by rounding them to bfloat16.

#include <cuda_bf16.h>

extern "C" __global__ void transpose(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    __shared__ __nv_bfloat16 tile[32][34];
    unsigned int left = blockIdx.x * 32, top = blockIdx.y * 32, lane = threadIdx.x;
    for (unsigned int row = threadIdx.y; row < 32; row += 8)
        if (left + lane < columns && top + row < rows)
            tile[row][lane] = __float2bfloat16(in[(top + row) * columns + left + lane]);
    __syncthreads();
    for (unsigned int row = threadIdx.y; row < 32; row += 8)
        if (top + lane < rows && left + row < columns)
            out[(left + row) * rows + top + lane] = __bfloat162float(tile[lane][row]);
}
