// SPDX-License-Identifier: GPL-3.0-or-later
//
// The chessboard with its numbers rounded to bfloat16.

#include <cuda_bf16.h>

extern "C" __global__ void checker(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    unsigned int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || column >= columns)
        return;
    float value = __bfloat162float(__float2bfloat16(in[row * columns + column]));
    out[row * columns + column] = (row + column) % 2 == 1 ? -value : value;
}
