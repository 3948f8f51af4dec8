// SPDX-License-Identifier: GPL-3.0-or-later
//
// Broadcast: out = a along the rows + b along the columns.
//
// Launch    --grid ceil(columns/32),ceil(rows/8) --block 32,8

extern "C" __global__ void outer(unsigned int rows, unsigned int columns, const float* a, const float* b, float* out)
{
    // One thread for each element of out.
}
