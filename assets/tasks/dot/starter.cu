// SPDX-License-Identifier: GPL-3.0-or-later
//
// Dot product: each thread adds up products far apart, a warp adds its lanes by shuffles, a block its warps in shared
// memory, and one thread of each block adds to the result.
//
// Launch    --grid min(ceil(n/256),264) --block 256

extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    // Add up what this thread is to see: i, i + all threads, i + 2 of all threads ...
    // Add the 32 sums of a warp with __shfl_down_sync, then those of the warps through shared memory.
    // One thread of each block adds to sum[0]; another block may do so at the same time.
}
