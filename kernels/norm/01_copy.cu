// SPDX-License-Identifier: GPL-3.0-or-later
//
// Normalisation, rung 1: the copy.
//
// Shows     the ceiling: the same rows, read once and written once in order. No normalisation is faster than this.
// Resource  the pins of the memory. Each thread moves four vectors of 16 bytes, so that a resident block of 256 threads
//           has 16 KiB in flight.
// Gain      the reference of the ladder; its share of pin bandwidth on a GPU is open until run on one.

extern "C" __global__ void norm_copy(const unsigned short* __restrict__ x, unsigned short* __restrict__ y,
                                     unsigned long long elements)
{
    const uint4* from = (const uint4*)x;
    uint4* to = (uint4*)y;
    unsigned long long vectors = elements / 8;
    unsigned long long first = (unsigned long long)blockIdx.x * 1024 + threadIdx.x;
    uint4 part[4] = {};
#pragma unroll
    for (unsigned int k = 0; k < 4; ++k) // all loads start before the first is used
        if (first + 256 * k < vectors)
            part[k] = from[first + 256 * k];
#pragma unroll
    for (unsigned int k = 0; k < 4; ++k)
        if (first + 256 * k < vectors)
            to[first + 256 * k] = part[k];
    if (first < elements % 8) // what no vector covers
        y[8 * vectors + first] = x[8 * vectors + first];
}
