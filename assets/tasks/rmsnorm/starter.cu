// SPDX-License-Identifier: GPL-3.0-or-later
//
// RMSNorm: a block for each row.
//
// Launch    --grid rows --block 128

extern "C" __global__ void rmsnorm(unsigned int rows, unsigned int columns, const float* x, const float* g, float* y)
{
    // The sum of the squares of this block's row.
    // The factor of the row, and every column with it.
}
