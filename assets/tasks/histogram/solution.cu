// SPDX-License-Identifier: GPL-3.0-or-later
//
// Histogram of up to 256 bins, counted in shared memory by each block.
//
// Launch    --grid min(ceil(n/1024),132) --block 256

extern "C" __global__ void histogram(unsigned int n, unsigned int bins, const unsigned int* value, unsigned int* counts)
{
    // @solution
    // @hint A histogram of the block's own, all 0 before anybody counts.
    __shared__ unsigned int own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    unsigned int threads = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicAdd(&own[value[i]], 1u);
    // @hint Add it to counts once everybody in the block has counted.
    __syncthreads();
    if (threadIdx.x < bins && own[threadIdx.x] > 0)
        atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
    // @end
}
