// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matrix of bytes with scales times vector: a warp for each row, four bytes for each lane.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void dequant(unsigned int rows, unsigned int groups, const signed char* q, const float* scale,
                                   const float* x, float* y)
{
    unsigned int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    // Eight lanes take a group: the quads of 4 bytes of a row, 32 of them at a time.
        // Multiply by the scale once for four.
    // The sum of the warp.
}
