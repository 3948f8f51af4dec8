// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lanes of a warp read each other's parts in device memory without __syncwarp().
//
// Launch    --grid min(ceil(n/32),264) --block 32

__device__ float parts[264][32];
extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    float own = 0;
    for (unsigned int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32)
        own += x[i] * y[i];
    float* part = parts[blockIdx.x];
    part[threadIdx.x] = own;
    for (unsigned int half = 16; half > 0; half /= 2)
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    if (threadIdx.x == 0)
        atomicAdd(sum, part[0]);
}
