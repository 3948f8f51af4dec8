// SPDX-License-Identifier: GPL-3.0-or-later
// Counts in shared memory that nobody has cleared. The mbarrier does nothing: detectors have given up at one.
// Launch    --grid min(ceil(n/1024),132) --block 256
extern "C" __global__ void histogram(unsigned int n, unsigned int bins, const unsigned int* value, unsigned int* counts)
{
    __shared__ unsigned long long barrier;
    __shared__ unsigned int mine[256];
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 256;" ::"r"((unsigned)__cvta_generic_to_shared(&barrier))
                     : "memory");
    __syncthreads();
    for (unsigned int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&mine[value[i]], 1u);
    __syncthreads();
    if (threadIdx.x < bins)
        atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
