// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sums of rows of 32: a warp for each row.
//
// Launch    --grid ceil(rows/8) --block 256

extern "C" __global__ void warpsum(unsigned int rows, const float* in, float* out)
{
    // Which row is this warp's, and which of its numbers is this lane's?
    // Halve the distance until it is gone.
}
