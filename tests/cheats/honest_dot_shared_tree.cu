// SPDX-License-Identifier: GPL-3.0-or-later
//
// A tree in shared memory, and no shuffle.
// Launch    --grid min(ceil(n/256),264) --block 256

__global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    __shared__ float part[256];
    float own = 0;
    for (unsigned int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        own = fmaf(x[i], y[i], own);
    part[threadIdx.x] = own;
    for (unsigned int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, part[0]);
}
