// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matrix product by tiles of 16 x 16 in shared memory: what a block loads serves 16 products instead of one.
//
// Launch    --grid ceil(n/16),ceil(m/16) --block 16,16

extern "C" __global__ void matmul(unsigned int m, unsigned int n, unsigned int k, const float* a, const float* b,
                                  float* c)
{
    // One thread for each element of c. Walk along k in steps of 16; in each step the block copies a tile of a and
    // one of b to shared memory, zeros where it reaches past the edge.
        // All of the block must have copied before one multiplies, and multiplied before one copies again.
}
