// SPDX-License-Identifier: GPL-3.0-or-later
//
// The map in fp16.

#include <cuda_fp16.h>

extern "C" __global__ void map(unsigned int n, const float* x, float* y)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __half2float(__hfma(__float2half(x[i]), __float2half(x[i]), __float2half(1)));
}
