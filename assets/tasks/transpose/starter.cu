// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transpose by tiles of 32 x 32: rows are read and rows are written, the tile is turned in shared memory. A column of
// padding keeps the lanes that read a column in different banks.
//
// Launch    --grid ceil(columns/32),ceil(rows/32) --block 32,8

extern "C" __global__ void transpose(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    // Copy a tile of 32 x 32 elements to shared memory, a row of it by each warp. Mind the edge of the matrix.
    // Every warp must have filled its part before one reads another's.
    // A column of the tile is a row of the result.
}
