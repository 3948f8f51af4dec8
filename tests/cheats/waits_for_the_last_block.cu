// SPDX-License-Identifier: GPL-3.0-or-later
//
// A barrier over more blocks than the chip holds.
//
// Launch    --grid 600 --block 1024

__device__ unsigned int arrived, generation;
extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    __shared__ float all;
    if (threadIdx.x == 0)
        all = 0;
    __syncthreads();
    for (unsigned int i = blockIdx.x * 1024 + threadIdx.x; i < n; i += gridDim.x * 1024)
        atomicAdd(&all, x[i] * y[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(sum, all);
        __threadfence();
        unsigned int now = atomicAdd(&generation, 0);
        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
            arrived = 0;
            atomicAdd(&generation, 1);
        } else {
            while (atomicAdd(&generation, 0) == now)
                ;
        }
    }
}
