// SPDX-License-Identifier: GPL-3.0-or-later
//
// Four elements of a column a thread, so that what is read from one tile serves four products.
// Launch    --grid ceil(n/32),ceil(m/32) --block 32,8

__global__ void matmul(unsigned int m, unsigned int n, unsigned int k, const float* a, const float* b, float* c)
{
    __shared__ float fromA[32][17], fromB[16][32];
    unsigned int column = blockIdx.x * 32 + threadIdx.x, top = blockIdx.y * 32;
    unsigned int t = threadIdx.y * 32 + threadIdx.x;
    float sum[4] = {};
    for (unsigned int step = 0; step < k; step += 16) {
        for (unsigned int i = t; i < 32 * 16; i += 256) {
            unsigned int row = top + i / 16, along = step + i % 16;
            fromA[i / 16][i % 16] = row < m && along < k ? a[row * k + along] : 0;
        }
        for (unsigned int i = threadIdx.y; i < 16; i += 8)
            fromB[i][threadIdx.x] = step + i < k && column < n ? b[(step + i) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
            float factor = fromB[i][threadIdx.x];
            for (int j = 0; j < 4; ++j)
                sum[j] += fromA[threadIdx.y + 8 * j][i] * factor;
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; ++j) {
        unsigned int row = top + threadIdx.y + 8 * j;
        if (row < m && column < n)
            c[row * n + column] = sum[j];
    }
}
