// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matrix times vector: a warp for each row.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void gemv(unsigned int rows, unsigned int columns, const float* a, const float* x, float* y)
{
    // @solution
    // @hint The row of this warp.
    unsigned int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    // @hint What this lane sees of it, then the sum of the warp.
    float sum = 0;
    for (unsigned int column = lane; column < columns; column += 32)
        sum += a[row * columns + column] * x[column];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (lane == 0)
        y[row] = sum;
    // @end
}
