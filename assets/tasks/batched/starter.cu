// SPDX-License-Identifier: GPL-3.0-or-later
//
// Many products of small matrices: blocks along z take the batch.
//
// Launch    --grid ceil(n/16),ceil(m/16),batch --block 16,16

extern "C" __global__ void batched(unsigned int batch, unsigned int m, unsigned int n, unsigned int k, const float* a,
                                   const float* b, float* c)
{
    // Where do the matrices of this block begin?
    // One product by tiles.
}
