// SPDX-License-Identifier: GPL-3.0-or-later
//
// Running sums of rows of any length: a block for each row, piece by piece with a carry.
//
// Launch    --grid rows --block 256

extern "C" __global__ void longscan(unsigned int rows, unsigned int columns, const unsigned int* in, unsigned int* out)
{
    // @solution
    // @hint Along the row in pieces as long as the block.
    __shared__ unsigned int total[8];
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32, carry = 0;
    for (unsigned int begin = 0; begin < columns; begin += 256) {
        unsigned int column = begin + threadIdx.x, at = blockIdx.x * columns + column;
        unsigned int sum = column < columns ? in[at] : 0;
        // @hint Running sums of the piece.
        for (unsigned int distance = 1; distance < 32; distance *= 2) {
            unsigned int before = __shfl_up_sync(0xffffffffu, sum, distance);
            if (lane >= distance)
                sum += before;
        }
        if (lane == 31)
            total[warp] = sum;
        __syncthreads();
        // @hint What comes before this warp, and what will come before the next piece.
        unsigned int all = 0;
        for (unsigned int other = 0; other < 8; ++other) {
            if (other == warp)
                sum += all;
            all += total[other];
        }
        if (column < columns)
            out[at] = carry + sum;
        carry += all;
        __syncthreads();
    }
    // @end
}
