// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with four elements of c for each thread: five loads from shared memory for four multiplications.
//
// Launch    --grid ceil(n/16),ceil(m/64) --block 16,16

extern "C" __global__ void matmul(unsigned int m, unsigned int n, unsigned int k, const float* a, const float* b,
                                  float* c)
{
    __shared__ float left[64][17], right[16][16];
    unsigned int x = threadIdx.x, y = threadIdx.y, top = blockIdx.y * 64, across = blockIdx.x * 16 + x;
    float sums[4] = {};
    for (unsigned int begin = 0; begin < k; begin += 16) {
#pragma unroll
        for (unsigned int part = 0; part < 64; part += 16)
            left[part + y][x] = top + part + y < m && begin + x < k ? a[(top + part + y) * k + begin + x] : 0;
        right[y][x] = begin + y < k && across < n ? b[(begin + y) * n + across] : 0;
        __syncthreads();
#pragma unroll
        for (unsigned int i = 0; i < 16; ++i) {
            float factor = right[i][x];
#pragma unroll
            for (unsigned int part = 0; part < 4; ++part)
                sums[part] = fmaf(left[16 * part + y][i], factor, sums[part]);
        }
        __syncthreads();
    }
    for (unsigned int part = 0; part < 4; ++part)
        if (unsigned int down = top + 16 * part + y; down < m && across < n)
            c[down * n + across] = sums[part];
}
