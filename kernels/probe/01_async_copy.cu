// SPDX-License-Identifier: GPL-3.0-or-later
//
// Probe, rung 1: asynchronous copies from global to shared memory, by cp.async.
//
// Needs     sm_80
// Shows     that the chip has them: each lane copies 16 bytes without a register, and reads those of another lane.
// Resource  none worth a word: the question is whether it runs.
// Expect    out[i] = in[i ^ 1], by 16 bytes.
// Gain      none: a question, not a way to be faster.

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

extern "C" __global__ void probe_async_copy(const uint4* in, uint4* out)
{
    __shared__ uint4 tile[32];
    unsigned int address;
    asm("{ .reg .u64 s; cvta.to.shared.u64 s, %1; cvt.u32.u64 %0, s; }" : "=r"(address) : "l"(tile + threadIdx.x));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(in + threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

#endif
