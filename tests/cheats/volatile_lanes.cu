// SPDX-License-Identifier: GPL-3.0-or-later
//
// The last warp folds its parts in volatile shared memory: each access happens, and no lane waits for another.
// Launch    --grid min(ceil(n/128),256) --block 128

__device__ void fold(volatile float* part, unsigned int lane)
{
    part[lane] += part[lane + 32];
    part[lane] += part[lane + 16];
    part[lane] += part[lane + 8];
    part[lane] += part[lane + 4];
    part[lane] += part[lane + 2];
    part[lane] += part[lane + 1];
}

extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    __shared__ float part[128];
    const unsigned int lane = threadIdx.x;
    float own = 0;
    for (unsigned int i = blockIdx.x * 128 + lane; i < n; i += gridDim.x * 128)
        own += x[i] * y[i];
    part[lane] = own;
    __syncthreads();
    if (lane < 64)
        part[lane] += part[lane + 64];
    __syncthreads();
    if (lane < 32)
        fold(part, lane);
    if (lane == 0)
        atomicAdd(sum, part[0]);
}
