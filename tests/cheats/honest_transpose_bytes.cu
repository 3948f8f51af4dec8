// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bits are bits: the tile holds whole numbers, four rows of it a warp.
// Launch    --grid ceil(columns/32),ceil(rows/32) --block 256

extern "C" __global__ void transpose(unsigned int rows, unsigned int columns, const unsigned int* in, unsigned int* out)
{
    __shared__ unsigned int tile[32][33];
    unsigned int left = blockIdx.x * 32, top = blockIdx.y * 32;
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned int row = 4 * warp; row < 4 * warp + 4; ++row)
        if (left + lane < columns && top + row < rows)
            tile[row][lane] = in[(top + row) * columns + left + lane];
    __syncthreads();
    for (unsigned int row = 4 * warp; row < 4 * warp + 4; ++row)
        if (top + lane < rows && left + row < columns)
            out[(left + row) * rows + top + lane] = tile[lane][row];
}
