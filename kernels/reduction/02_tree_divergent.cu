// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reduction, rung 2: a tree in shared memory, with divergent threads.
//
// Changed   each block adds its 256 elements in shared memory and writes one partial sum; the kernel is launched again on
//           the partial sums until one is left.
// Frees     the one word in L2: no atomics at all.
// Costs     thread t works in step s where t is a multiple of 2s: after the first step every warp still runs, with ever
//           fewer lanes, through eight barriers. So short a body has no branch in machine code: lanes are masked out.
// Gain      over rung 1: open until run on a GPU. Slower than every later tree; it stays to show what idle lanes cost.

template <class T>
__device__ void reduceTree(const T* in, T* out, unsigned long long n)
{
    __shared__ T part[256];
    unsigned int t = threadIdx.x;
    unsigned long long i = (unsigned long long)blockIdx.x * 256 + t;
    part[t] = i < n ? in[i] : T(0);
    __syncthreads();
    for (unsigned int s = 1; s < 256; s *= 2) {
        if (t % (2 * s) == 0)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce_tree_divergent_i32(const unsigned int* in, unsigned int* out, unsigned long long n)
{
    reduceTree(in, out, n);
}

extern "C" __global__ void reduce_tree_divergent_f32(const float* in, float* out, unsigned long long n)
{
    reduceTree(in, out, n);
}
