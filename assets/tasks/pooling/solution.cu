// SPDX-License-Identifier: GPL-3.0-or-later
//
// Largest of each 2 x 2 square; one thread for each result.
//
// Launch    --grid ceil(columns/64),ceil(rows/16) --block 32,8

extern "C" __global__ void pooling(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    // @solution
    // @hint The place in the result, then the square that it stands for.
    unsigned int across = blockIdx.x * blockDim.x + threadIdx.x, down = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int column = 2 * across, row = 2 * down;
    if (row >= rows || column >= columns)
        return;
    const float* square = in + row * columns + column;
    float largest = square[0];
    // @hint Three more, as far as they exist.
    bool right = column + 1 < columns, below = row + 1 < rows;
    if (right)
        largest = fmaxf(largest, square[1]);
    if (below)
        largest = fmaxf(largest, square[columns]);
    if (right && below)
        largest = fmaxf(largest, square[columns + 1]);
    out[down * ((columns + 1) / 2) + across] = largest;
    // @end
}
