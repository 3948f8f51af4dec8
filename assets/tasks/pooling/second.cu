// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with pairs read at once where the matrix has an even number of columns.
//
// Launch    --grid ceil(columns/64),ceil(rows/16) --block 32,8

extern "C" __global__ void pooling(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    unsigned int column = 2 * (blockIdx.x * 32 + threadIdx.x), row = 2 * (blockIdx.y * 8 + threadIdx.y);
    if (row >= rows || column >= columns)
        return;
    unsigned int lower = min(row + 1, rows - 1); // the same row again changes no maximum
    float largest;
    if (columns % 2 == 0) {
        float2 a = *reinterpret_cast<const float2*>(in + row * columns + column);
        float2 b = *reinterpret_cast<const float2*>(in + lower * columns + column);
        largest = fmaxf(fmaxf(a.x, a.y), fmaxf(b.x, b.y));
    } else {
        unsigned int next = min(column + 1, columns - 1);
        largest = fmaxf(fmaxf(in[row * columns + column], in[row * columns + next]),
                        fmaxf(in[lower * columns + column], in[lower * columns + next]));
    }
    out[row / 2 * ((columns + 1) / 2) + column / 2] = largest;
}
