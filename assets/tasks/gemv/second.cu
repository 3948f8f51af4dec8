// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with two rows for each warp, which share what was read of x.
//
// Launch    --grid ceil(rows/8) --block 32,4

extern "C" __global__ void gemv(unsigned int rows, unsigned int columns, const float* a, const float* x, float* y)
{
    unsigned int upper = (blockIdx.x * 4 + threadIdx.y) * 2;
    if (upper >= rows)
        return;
    unsigned int lower = min(upper + 1, rows - 1);
    float first = 0, second = 0;
    for (unsigned int column = threadIdx.x; column < columns; column += 32) {
        float factor = x[column];
        first = fmaf(a[upper * columns + column], factor, first);
        second = fmaf(a[lower * columns + column], factor, second);
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        first += __shfl_xor_sync(0xffffffffu, first, distance);
        second += __shfl_xor_sync(0xffffffffu, second, distance);
    }
    if (threadIdx.x == 0)
        y[upper] = first;
    if (threadIdx.x == 1 && upper + 1 < rows)
        y[lower] = second;
}
