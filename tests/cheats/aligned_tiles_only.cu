// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whole tiles alone; what stands at the edges is left out.
// Launch    --grid max(floor(columns/32),1),max(floor(rows/32),1) --block 32,8

extern "C" __global__ void transpose(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    __shared__ float tile[32][33];
    unsigned int left = blockIdx.x * 32, top = blockIdx.y * 32;
    if (left + 32 > columns || top + 32 > rows)
        return;
    for (unsigned int row = threadIdx.y; row < 32; row += 8)
        tile[row][threadIdx.x] = in[(top + row) * columns + left + threadIdx.x];
    __syncthreads();
    for (unsigned int row = threadIdx.y; row < 32; row += 8)
        out[(left + row) * rows + top + threadIdx.x] = tile[threadIdx.x][row];
}
