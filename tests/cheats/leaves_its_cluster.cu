// SPDX-License-Identifier: GPL-3.0-or-later
//
// A block reads the shared memory of another that may have ended.
//
// Launch    --grid 2*min(ceil(n/512),132) --block 256

extern "C" __global__ void __cluster_dims__(2, 1, 1) dot(unsigned int n, const float* x, const float* y, float* sum)
{
    __shared__ float all;
    if (threadIdx.x == 0)
        all = 0;
    __syncthreads();
    float own = 0;
    for (unsigned int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        own += x[i] * y[i];
    for (int distance = 16; distance > 0; distance /= 2)
        own += __shfl_xor_sync(0xffffffffu, own, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&all, own);
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (blockIdx.x % 2 == 0 && threadIdx.x == 0) {
        unsigned int here = static_cast<unsigned int>(__cvta_generic_to_shared(&all)), there;
        float other;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(there) : "r"(here));
        asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(other) : "r"(there) : "memory");
        atomicAdd(sum, all + other);
    }
}
