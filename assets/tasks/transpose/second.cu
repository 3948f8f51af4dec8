// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same without padding: each row of the tile is stored in an order of its own, so that columns spread over the
// banks.
//
// Launch    --grid ceil(columns/32),ceil(rows/32) --block 32,8

extern "C" __global__ void transpose(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    __shared__ float tile[32 * 32];
    unsigned int x = threadIdx.x, column = blockIdx.x * 32 + x, row = blockIdx.y * 32 + x;
#pragma unroll
    for (unsigned int y = threadIdx.y; y < 32; y += 8) {
        unsigned int from = blockIdx.y * 32 + y;
        if (from < rows && column < columns)
            tile[32 * y + (x ^ y)] = in[from * columns + column];
    }
    __syncthreads();
#pragma unroll
    for (unsigned int y = threadIdx.y; y < 32; y += 8) {
        unsigned int to = blockIdx.x * 32 + y;
        if (to < columns && row < rows)
            out[to * rows + row] = tile[32 * x + (x ^ y)];
    }
}
