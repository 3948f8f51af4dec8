// SPDX-License-Identifier: GPL-3.0-or-later
//
// Probe, rung 2: a thread block cluster whose two blocks read each other's shared memory.
//
// Needs     sm_90
// Shows     that the chip has clusters and distributed shared memory.
// Resource  none worth a word: the question is whether it runs.
// Expect    block 0 writes what block 1 keeps, and the other way round: out[32 r + i] = 32 (1 - r) + i + 7.
// Gain      none: a question, not a way to be faster.

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

extern "C" __global__ void probe_cluster(unsigned int* out)
{
    __shared__ unsigned int kept[32];
    unsigned int rank, mine, other, value;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    kept[threadIdx.x] = 32 * rank + threadIdx.x + 7;
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    asm("{ .reg .u64 s; cvta.to.shared.u64 s, %1; cvt.u32.u64 %0, s; }" : "=r"(mine) : "l"(kept + threadIdx.x));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(mine), "r"(1 - rank));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(other) : "memory");
    out[32 * rank + threadIdx.x] = value;
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory"); // until all have read
}

#endif
