// SPDX-License-Identifier: GPL-3.0-or-later
//
// LayerNorm with the variance as a difference of two large numbers.

extern "C" __global__ void layernorm(unsigned int rows, unsigned int columns, const float* x, const float* g,
                                     const float* b, float* y)
{
    unsigned int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    float sum = 0, squares = 0;
    for (unsigned int column = threadIdx.x; column < columns; column += 32) {
        float value = x[row * columns + column] + 4096.0f; // as if the data had a large mean
        sum += value;
        squares += value * value;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
        squares += __shfl_xor_sync(0xffffffffu, squares, distance);
    }
    float mean = sum / columns, factor = rsqrtf(fmaxf(squares / columns - mean * mean, 0) + 1e-5f);
    for (unsigned int column = threadIdx.x; column < columns; column += 32)
        y[row * columns + column] = (x[row * columns + column] + 4096.0f - mean) * factor * g[column] + b[column];
}
