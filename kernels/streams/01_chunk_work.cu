// SPDX-License-Identifier: GPL-3.0-or-later
//
// Streams, rung 1: the compute stage of a copy-compute-copy pipeline.
//
// Shows     that copies in, kernels and copies out of different chunks go on at the same time, when they are on different
//           streams and the host memory is pinned.
// Resource  two copy engines, one a direction, and the SMs: three stages that work side by side.
// Expect    total time towards the longest stage; with pageable memory the CPU carries every copy itself and nothing
//           overlaps.
// Gain      pipeline over one stream: open until run on a GPU.
//
// `rounds` sets how long the stage takes: each is one multiply-add modulo 2^32 (the generator of Numerical Recipes), so
// that any number of rounds has a closed form and results are exact.

extern "C" __global__ void chunk_work(const unsigned int* in, unsigned int* out, unsigned int count, unsigned int rounds)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned int value = in[i];
    for (unsigned int round = 0; round < rounds; ++round)
        value = value * 1664525u + 1013904223u;
    out[i] = value;
}
