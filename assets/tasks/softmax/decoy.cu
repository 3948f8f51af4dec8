// SPDX-License-Identifier: GPL-3.0-or-later
//
// Softmax that does not take the largest off.

extern "C" __global__ void softmax(unsigned int rows, unsigned int columns, const float* x, float* y)
{
    unsigned int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    float sum = 0;
    for (unsigned int column = threadIdx.x; column < columns; column += 32)
        sum += expf(x[row * columns + column]);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    for (unsigned int column = threadIdx.x; column < columns; column += 32)
        y[row * columns + column] = expf(x[row * columns + column]) / sum;
}
