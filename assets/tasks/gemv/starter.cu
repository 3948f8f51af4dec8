// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matrix times vector: a warp for each row.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void gemv(unsigned int rows, unsigned int columns, const float* a, const float* x, float* y)
{
    // The row of this warp.
    // What this lane sees of it, then the sum of the warp.
}
