// SPDX-License-Identifier: GPL-3.0-or-later
//
// No padding: the place in the tile is turned by the row, which keeps lanes apart in the banks as well.
// Launch    --grid ceil(columns/32),ceil(rows/32) --block 32,8

__global__ void transpose(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    __shared__ float tile[32 * 32];
    unsigned int left = blockIdx.x * 32, top = blockIdx.y * 32, lane = threadIdx.x;
#pragma unroll
    for (unsigned int part = 0; part < 32; part += 8) {
        unsigned int row = part + threadIdx.y;
        if (left + lane < columns && top + row < rows)
            tile[row * 32 + (lane ^ row)] = in[(top + row) * columns + left + lane];
    }
    __syncthreads();
#pragma unroll
    for (unsigned int part = 0; part < 32; part += 8) {
        unsigned int row = part + threadIdx.y;
        if (top + lane < rows && left + row < columns)
            out[(left + row) * rows + top + lane] = tile[lane * 32 + (row ^ lane)];
    }
}
