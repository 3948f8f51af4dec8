// SPDX-License-Identifier: GPL-3.0-or-later
//
// Histogram, rung 1: global atomics.
//
// Shows     counting with one atomic in the L2 cache for every key. Keys come 16 bytes a load.
// Resource  the atomic units of the L2 slices. A slice adds to one word about once a clock: keys that spread over many
//           bins use all slices, a single hot bin uses one.
// Expect    time follows the hottest bin, not the bytes. The clearing of the bins is a launch of its own and counts.
// Gain      this is the start of the ladder.

extern "C" __global__ void histogram_clear(unsigned int* bins, unsigned int count)
{
    unsigned int i = blockIdx.x * 256 + threadIdx.x;
    if (i < count)
        bins[i] = 0;
}

extern "C" __global__ void histogram_global_atomics(const unsigned int* keys, unsigned int* bins, unsigned long long n)
{
    unsigned long long step = (unsigned long long)gridDim.x * 256;
    unsigned long long first = (unsigned long long)blockIdx.x * 256 + threadIdx.x;
    for (unsigned long long i = first; i < n / 4; i += step) {
        uint4 key = ((const uint4*)keys)[i];
        atomicAdd(&bins[key.x], 1u);
        atomicAdd(&bins[key.y], 1u);
        atomicAdd(&bins[key.z], 1u);
        atomicAdd(&bins[key.w], 1u);
    }
    unsigned long long last = n / 4 * 4 + first; // at most three keys
    if (last < n)
        atomicAdd(&bins[keys[last]], 1u);
}
