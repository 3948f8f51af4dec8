// SPDX-License-Identifier: GPL-3.0-or-later
//
// Softmax of rows: a warp for each row.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void softmax(unsigned int rows, unsigned int columns, const float* x, float* y)
{
    unsigned int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    x += row * columns;
    y += row * columns;
    // The largest of the row, in every lane.
    // The sum of what lies below it.
    // The shares.
}
