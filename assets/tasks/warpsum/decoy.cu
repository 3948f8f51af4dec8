// SPDX-License-Identifier: GPL-3.0-or-later
//
// The sums in fp16, two in a register.

#include <cuda_fp16.h>

extern "C" __global__ void warpsum(unsigned int rows, const float* in, float* out)
{
    unsigned int lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows)
        return;
    __half sum = __float2half(in[32 * row + lane]);
    for (int distance = 16; distance > 0; distance /= 2)
        sum = __hadd(sum, __shfl_down_sync(0xffffffffu, sum, distance));
    if (lane == 0)
        out[row] = __half2float(sum);
}
