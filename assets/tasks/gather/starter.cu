// SPDX-License-Identifier: GPL-3.0-or-later
//
// Gather: row ids[t] of a table becomes row t of out; a block for each token.
//
// Launch    --grid tokens --block 64

extern "C" __global__ void gather(unsigned int tokens, unsigned int width, unsigned int vocabulary,
                                  const unsigned int* ids, const float* table, float* out)
{
    // Where does the row of this block's token begin, in the table and in out?
    // The block copies it, neighbours by neighbours.
}
