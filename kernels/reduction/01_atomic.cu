// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reduction, rung 1: one atomic per element.
//
// Shows     that a correct sum can be limited by one word of memory: every element is added to it in the L2 cache.
// Resource  the atomic unit of the one L2 slice that owns the word. All other slices, and nearly all of DRAM, wait.
// Expect    time grows with the number of atomics that arrive, not with bytes. Current compilers add the 32 integers of a
//           warp first and send one atomic for them (they may not reorder floats), which hides much of the damage.
// Gain      this is the start of the ladder. Clearing the word is a launch of its own and counts: a kernel that clears
//           it itself races with its own blocks. Float sums come in the order of arrival and differ from run to run.

template <class T>
__device__ void reduceAtomic(const T* in, T* sum, unsigned long long n)
{
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, in[i]);
}

extern "C" __global__ void clear_sum(unsigned int* sum)
{
    *sum = 0; // the bits of 0 and of 0.0f
}

// Sums of 32-bit integers wrap; in two's complement the bits are the same with and without a sign.
extern "C" __global__ void reduce_atomic_i32(const unsigned int* in, unsigned int* sum, unsigned long long n)
{
    reduceAtomic(in, sum, n);
}

extern "C" __global__ void reduce_atomic_f32(const float* in, float* sum, unsigned long long n)
{
    reduceAtomic(in, sum, n);
}
