// SPDX-License-Identifier: GPL-3.0-or-later
//
// A chessboard of signs over a matrix: one thread for each element, blocks of 32 x 8.
//
// Launch    --grid ceil(columns/32),ceil(rows/8) --block 32,8

extern "C" __global__ void checker(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    // The column along x, the row along y.
    // Mind both edges of the matrix.
}
