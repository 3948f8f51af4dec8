// SPDX-License-Identifier: GPL-3.0-or-later
//
// Probe, rung 3: the tensor memory accelerator (TMA) copies a tile that its map describes.
//
// Needs     sm_90
// Shows     that the chip has the engine: one thread asks for the tile, a barrier in shared memory counts its bytes.
// Resource  none worth a word: the question is whether it runs.
// Expect    the tile of 8 x 8 words from column 8, row 4 of the matrix, row by row.
// Gain      none: a question, not a way to be faster.

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

struct alignas(64) TensorMap { // CUtensorMap, which only the device that made it reads
    unsigned char bytes[128];
};

extern "C" __global__ void probe_tma(const __grid_constant__ TensorMap map, unsigned int* out)
{
    __shared__ __align__(128) unsigned int tile[64];
    __shared__ unsigned long long full;
    unsigned int to, barrier;
    asm("{ .reg .u64 s; cvta.to.shared.u64 s, %1; cvt.u32.u64 %0, s; }" : "=r"(to) : "l"(tile));
    asm("{ .reg .u64 s; cvta.to.shared.u64 s, %1; cvt.u32.u64 %0, s; }" : "=r"(barrier) : "l"(&full));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(barrier) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
                     "[%1, {8, 4}], [%2];" ::"r"(to),
                     "l"(&map), "r"(barrier)
                     : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred p;\n"
                 "WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
                 "@!p bra WAIT; }" ::"r"(barrier)
                 : "memory");
    out[threadIdx.x] = tile[threadIdx.x];
    out[threadIdx.x + 32] = tile[threadIdx.x + 32];
}

#endif
