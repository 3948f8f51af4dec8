// SPDX-License-Identifier: GPL-3.0-or-later
//
// The pooling with its numbers rounded to bfloat16.

#include <cuda_bf16.h>

extern "C" __global__ void pooling(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    unsigned int column = 2 * (blockIdx.x * 32 + threadIdx.x), row = 2 * (blockIdx.y * 8 + threadIdx.y);
    if (row >= rows || column >= columns)
        return;
    unsigned int lower = min(row + 1, rows - 1), next = min(column + 1, columns - 1);
    float largest = fmaxf(fmaxf(in[row * columns + column], in[row * columns + next]),
                          fmaxf(in[lower * columns + column], in[lower * columns + next]));
    out[row / 2 * ((columns + 1) / 2) + column / 2] = __bfloat162float(__float2bfloat16(largest));
}
