// SPDX-License-Identifier: GPL-3.0-or-later
//
// Half of each warp waits at another barrier than the rest.
// Launch    --grid 1 --block 64

__device__ __noinline__ void meetElsewhere()
{
    __syncthreads();
}

extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    __shared__ float part[64];
    float own = 0;
    for (unsigned int i = threadIdx.x; i < n; i += 64)
        own += x[i] * y[i];
    part[threadIdx.x] = own;
    if (threadIdx.x % 2 == 0)
        __syncthreads();
    else
        meetElsewhere();
    if (threadIdx.x == 0) {
        float all = 0;
        for (int t = 0; t < 64; ++t)
            all += part[t];
        sum[0] = all;
    }
}
