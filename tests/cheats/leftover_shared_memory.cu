// SPDX-License-Identifier: GPL-3.0-or-later
//
// Takes what stands in shared memory from the block that was there before.
// Launch    --grid ceil(columns/32),ceil(rows/32) --block 32,8

extern "C" __global__ void transpose(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    __shared__ float tile[32][32];
    unsigned int column = blockIdx.x * 32 + threadIdx.x;
    for (unsigned int row = blockIdx.y * 32 + threadIdx.y; row < blockIdx.y * 32 + 32; row += 8)
        if (row < rows && column < columns)
            out[column * rows + row] = tile[row % 32][threadIdx.x];
    if (rows == 0)
        tile[threadIdx.y][threadIdx.x] = in[0];
}
