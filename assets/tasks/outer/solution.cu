// SPDX-License-Identifier: GPL-3.0-or-later
//
// Broadcast: out = a along the rows + b along the columns.
//
// Launch    --grid ceil(columns/32),ceil(rows/8) --block 32,8

extern "C" __global__ void outer(unsigned int rows, unsigned int columns, const float* a, const float* b, float* out)
{
    // @solution
    // @hint One thread for each element of out.
    unsigned int column = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns)
        out[row * columns + column] = a[row] + b[column];
    // @end
}
