// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dot product with its factors rounded to fp16 and sums in fp32, as a tensor core would do it.

#include <cuda_fp16.h>

extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    unsigned int threads = gridDim.x * blockDim.x;
    float own = 0;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        own += __half2float(__float2half(x[i])) * __half2float(__float2half(y[i]));
    for (int distance = 16; distance > 0; distance /= 2)
        own += __shfl_down_sync(0xffffffffu, own, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, own);
}
