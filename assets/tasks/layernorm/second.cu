// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with mean and variance in one pass, merged between lanes after Welford and Chan.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void layernorm(unsigned int rows, unsigned int columns, const float* x, const float* g,
                                     const float* b, float* y)
{
    unsigned int row = blockIdx.x * 4 + threadIdx.y;
    if (row >= rows)
        return;
    float count = 0, mean = 0, squares = 0; // of what this lane has seen
    for (unsigned int column = threadIdx.x; column < columns; column += 32) {
        float value = x[row * columns + column], apart = value - mean;
        count += 1;
        mean += __fdividef(apart, count);
        squares = fmaf(apart, value - mean, squares);
    }
    for (int distance = 1; distance < 32; distance *= 2) {
        float otherCount = __shfl_xor_sync(0xffffffffu, count, distance);
        float otherMean = __shfl_xor_sync(0xffffffffu, mean, distance);
        float otherSquares = __shfl_xor_sync(0xffffffffu, squares, distance);
        float all = count + otherCount, apart = otherMean - mean, share = all > 0 ? otherCount / all : 0;
        squares += otherSquares + apart * apart * count * share;
        mean += apart * share;
        count = all;
    }
    // Lanes merged in another order and may differ in a last bit; one of them speaks for all.
    mean = __shfl_sync(0xffffffffu, mean, 0);
    float factor = 1 / sqrtf(__shfl_sync(0xffffffffu, squares, 0) / columns + 1e-5f);
    for (unsigned int column = threadIdx.x; column < columns; column += 32)
        y[row * columns + column] = fmaf((x[row * columns + column] - mean) * factor, g[column], b[column]);
}
