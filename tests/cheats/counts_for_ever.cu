// SPDX-License-Identifier: GPL-3.0-or-later
//
// A loop that never comes back to where it was: only the clock can tell that it does not end.
// Launch    --grid 1 --block 32

__device__ unsigned int beads;

extern "C" __global__ void saxpy(unsigned int n, float, const float*, const float*, float*)
{
    volatile unsigned int* counter = &beads;
    for (unsigned long long i = 1; i > 0; i += n)
        *counter = *counter + (unsigned int)i;
}
