// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tiles of the solution in dynamic shared memory, a's turned and padded.
// Launch    --grid ceil(n/16),ceil(m/16) --block 16,16 --smem 4*(16*17+16*16)

extern "C" __global__ void matmul(unsigned int m, unsigned int n, unsigned int k, const float* a, const float* b,
                                  float* c)
{
    extern __shared__ float tiles[];
    float* fromA = tiles;
    float* fromB = tiles + 16 * 17;
    unsigned int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (unsigned int step = 0; step < k; step += 16) {
        fromA[x * 17 + y] = row < m && step + x < k ? a[row * k + step + x] : 0;
        fromB[y * 16 + x] = step + y < k && column < n ? b[(step + y) * n + column] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i)
            sum = fmaf(fromA[i * 17 + y], fromB[i * 16 + x], sum);
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}
