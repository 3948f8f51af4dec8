// SPDX-License-Identifier: GPL-3.0-or-later
//
// A histogram that counts without atomics.
//
// Launch    --grid 1 --block 256

extern "C" __global__ void histogram(unsigned int n, unsigned int bins, const unsigned int* value, unsigned int* counts)
{
    for (unsigned int i = threadIdx.x; i < n; i += 256)
        counts[value[i]] += 1;
}
