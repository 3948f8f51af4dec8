// SPDX-License-Identifier: GPL-3.0-or-later
//
// Many products of small matrices: blocks along z take the batch.
//
// Launch    --grid ceil(n/16),ceil(m/16),batch --block 16,16

extern "C" __global__ void batched(unsigned int batch, unsigned int m, unsigned int n, unsigned int k, const float* a,
                                   const float* b, float* c)
{
    // @solution
    // @hint Where do the matrices of this block begin?
    __shared__ float fromA[16][16], fromB[16][16];
    a += blockIdx.z * m * k;
    b += blockIdx.z * k * n;
    c += blockIdx.z * m * n;
    // @hint One product by tiles.
    unsigned int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (unsigned int step = 0; step < k; step += 16) {
        unsigned int along = step + threadIdx.x, down = step + threadIdx.y;
        fromA[threadIdx.y][threadIdx.x] = row < m && along < k ? a[row * k + along] : 0;
        fromB[threadIdx.y][threadIdx.x] = down < k && column < n ? b[down * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < 16; ++i)
            sum += fromA[threadIdx.y][i] * fromB[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
    // @end
}
