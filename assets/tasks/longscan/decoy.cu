// SPDX-License-Identifier: GPL-3.0-or-later
//
// Running sums that forget the carry between pieces.

extern "C" __global__ void longscan(unsigned int rows, unsigned int columns, const unsigned int* in, unsigned int* out)
{
    __shared__ unsigned int sums[256];
    unsigned int t = threadIdx.x;
    for (unsigned int begin = 0; begin < columns; begin += 256) {
        unsigned int mine = begin + t < columns ? in[blockIdx.x * columns + begin + t] : 0;
        sums[t] = mine;
        __syncthreads();
        for (unsigned int distance = 1; distance < 256; distance *= 2) {
            if (t >= distance)
                mine += sums[t - distance];
            __syncthreads();
            sums[t] = mine;
            __syncthreads();
        }
        if (begin + t < columns)
            out[blockIdx.x * columns + begin + t] = mine;
    }
}
