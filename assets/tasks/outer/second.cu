// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with four rows for each thread, which reads its b once.
//
// Launch    --grid ceil(columns/32),ceil(rows/32) --block 32,8

extern "C" __global__ void outer(unsigned int rows, unsigned int columns, const float* a, const float* b, float* out)
{
    unsigned int column = blockIdx.x * 32 + threadIdx.x, top = blockIdx.y * 32 + threadIdx.y;
    if (column >= columns)
        return;
    float along = b[column];
    for (unsigned int row = top; row < min(top + 32, rows); row += 8)
        out[row * columns + column] = a[row] + along;
}
