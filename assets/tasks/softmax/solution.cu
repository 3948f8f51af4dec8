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
    // @solution
    // @hint The largest of the row, in every lane.
    float largest = -INFINITY;
    for (unsigned int column = lane; column < columns; column += 32)
        largest = fmaxf(largest, x[column]);
    for (int distance = 16; distance > 0; distance /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    // @hint The sum of what lies below it.
    float sum = 0;
    for (unsigned int column = lane; column < columns; column += 32)
        sum += expf(x[column] - largest);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    // @hint The shares.
    float factor = 1 / sum;
    for (unsigned int column = lane; column < columns; column += 32)
        y[column] = expf(x[column] - largest) * factor;
    // @end
}
