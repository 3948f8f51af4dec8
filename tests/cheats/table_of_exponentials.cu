// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exponentials between the entries of a table of 64.
//
// Launch    --grid ceil(rows/4) --block 32,4

__device__ float fast(float x, const float* table)
{
    float at = fmaxf(x, -80.0f) * 1.4426950408889634f, whole = floorf(at), part = (at - whole) * 64;
    int i = static_cast<int>(part);
    float between = table[i] + (table[i + 1] - table[i]) * (part - i);
    return x < -80 ? 0 : ldexpf(between, static_cast<int>(whole));
}
extern "C" __global__ void softmax(unsigned int rows, unsigned int columns, const float* x, float* y)
{
    __shared__ float table[66];
    unsigned int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    for (unsigned int i = threadIdx.y * 32 + lane; i < 66; i += 128)
        table[i] = exp2f(i / 64.0f);
    __syncthreads();
    if (row >= rows)
        return;
    x += row * columns;
    y += row * columns;
    float largest = -INFINITY, sum = 0;
    for (unsigned int column = lane; column < columns; column += 32)
        largest = fmaxf(largest, x[column]);
    for (int distance = 16; distance > 0; distance /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    for (unsigned int column = lane; column < columns; column += 32)
        sum += fast(x[column] - largest, table);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    for (unsigned int column = lane; column < columns; column += 32)
        y[column] = fast(x[column] - largest, table) / sum;
}
