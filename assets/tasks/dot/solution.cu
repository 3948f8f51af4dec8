// SPDX-License-Identifier: GPL-3.0-or-later
//
// Dot product: each thread adds up products far apart, a warp adds its lanes by shuffles, a block its warps in shared
// memory, and one thread of each block adds to the result.
//
// Launch    --grid min(ceil(n/256),264) --block 256

extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    // @solution
    // @hint Add up what this thread is to see: i, i + all threads, i + 2 of all threads ...
    __shared__ float part[8];
    unsigned int threads = gridDim.x * blockDim.x;
    float own = 0;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        own += x[i] * y[i];
    // @hint Add the 32 sums of a warp with __shfl_down_sync, then those of the warps through shared memory.
    for (int distance = 16; distance > 0; distance /= 2)
        own += __shfl_down_sync(0xffffffffu, own, distance);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = own;
    __syncthreads();
    // @hint One thread of each block adds to sum[0]; another block may do so at the same time.
    if (threadIdx.x == 0) {
        float all = 0;
        for (int warp = 0; warp < 8; ++warp)
            all += part[warp];
        atomicAdd(sum, all);
    }
    // @end
}
