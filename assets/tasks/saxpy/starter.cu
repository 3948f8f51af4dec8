// SPDX-License-Identifier: GPL-3.0-or-later
//
// saxpy: z = a x + y, one element for each thread.
//
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void saxpy(unsigned int n, float a, const float* x, const float* y, float* z)
{
    // The element of this thread: its place in its block, and the threads of all blocks before.
    // The last block may reach past n.
}
