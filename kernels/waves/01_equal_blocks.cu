// SPDX-License-Identifier: GPL-3.0-or-later
//
// Waves, rung 1: blocks that all take the same time.
//
// Shows     that the time of a launch grows in steps: as many blocks as fit on the SMs run at once, and one block more
//           starts when the first of them ends.
// Resource  places for blocks: SMs times the blocks that fit on one.
// Expect    a flat stretch up to SMs x blocks an SM, then one step for each further wave that begins.
// Gain      none; a grid one block smaller than a full wave plus one is worth a whole wave.
//
// Each thread runs one chain of `work` multiply-adds modulo 2^32, each of which needs the one before, so that a few warps
// on an SM do not slow each other down.

extern "C" __global__ void equal_blocks(const unsigned int* in, unsigned int* out, unsigned int factor,
                                        unsigned int work)
{
    unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int x = in[thread];
#pragma unroll 1
    for (unsigned int i = 0; i < work; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; ++k)
            asm volatile("mad.lo.u32 %0, %0, %1, 1013904223;" : "+r"(x) : "r"(factor));
    }
    out[thread] = x;
}
