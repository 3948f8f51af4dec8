// SPDX-License-Identifier: GPL-3.0-or-later
//
// A chessboard of signs over a matrix: one thread for each element, blocks of 32 x 8.
//
// Launch    --grid ceil(columns/32),ceil(rows/8) --block 32,8

extern "C" __global__ void checker(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    // @solution
    // @hint The column along x, the row along y.
    unsigned int column = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    // @hint Mind both edges of the matrix.
    if (row >= rows || column >= columns)
        return;
    float value = in[row * columns + column];
    out[row * columns + column] = (row + column) % 2 == 1 ? -value : value;
    // @end
}
