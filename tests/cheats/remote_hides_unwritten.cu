// SPDX-License-Identifier: GPL-3.0-or-later
// Counts in shared memory that nobody has cleared, behind a store to another block of the cluster, at which the watch
// over unwritten memory ends.
// Launch    --grid 2*ceil(n/8192) --block 256
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    histogram(unsigned int n, unsigned int bins, const unsigned int* value, unsigned int* counts)
{
    __shared__ unsigned long long barrier;
    __shared__ unsigned int mail, mine[256];
    unsigned int box = (unsigned)__cvta_generic_to_shared(&mail), bar = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 4;" ::"r"(bar) : "memory");
    }
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    if (threadIdx.x == 0)
        asm volatile("{ .reg .u32 rank, other, there, at;\n"
                     "mov.u32 rank, %%cluster_ctarank; xor.b32 other, rank, 1;\n"
                     "mapa.shared::cluster.u32 there, %0, other; mapa.shared::cluster.u32 at, %1, other;\n"
                     "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [there], 7, [at]; }" ::"r"(box),
                     "r"(bar)
                     : "memory");
    asm volatile("{ .reg .pred done; W: mbarrier.try_wait.parity.shared.b64 done, [%0], 0; @!done bra W; }" ::"r"(bar)
                 : "memory");
    for (unsigned int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&mine[value[i]], 1u);
    __syncthreads();
    if (threadIdx.x < bins)
        atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}
