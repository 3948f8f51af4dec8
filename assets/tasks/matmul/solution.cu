// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matrix product by tiles of 16 x 16 in shared memory: what a block loads serves 16 products instead of one.
//
// Launch    --grid ceil(n/16),ceil(m/16) --block 16,16

extern "C" __global__ void matmul(unsigned int m, unsigned int n, unsigned int k, const float* a, const float* b,
                                  float* c)
{
    // @solution
    // @hint One thread for each element of c. Walk along k in steps of 16; in each step the block copies a tile of a and
    // @hint one of b to shared memory, zeros where it reaches past the edge.
    __shared__ float fromA[16][16], fromB[16][16];
    unsigned int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (unsigned int step = 0; step < k; step += 16) {
        unsigned int along = step + threadIdx.x, down = step + threadIdx.y;
        fromA[threadIdx.y][threadIdx.x] = row < m && along < k ? a[row * k + along] : 0;
        fromB[threadIdx.y][threadIdx.x] = down < k && column < n ? b[down * n + column] : 0;
        // @hint All of the block must have copied before one multiplies, and multiplied before one copies again.
        __syncthreads();
        for (int i = 0; i < 16; ++i)
            sum += fromA[threadIdx.y][i] * fromB[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
    // @end
}
