// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sum of seven neighbours; a block's elements and three on either side in shared memory.
//
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void stencil(unsigned int n, const float* in, float* out)
{
    // Load 262 elements, zeros outside of the array.
    // Add seven of them.
}
