// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every other row of the result, in half the time.
// Launch    --grid ceil(n/16),ceil(m/16) --block 16,16

extern "C" __global__ void matmul(unsigned int m, unsigned int n, unsigned int k, const float* a, const float* b,
                                  float* c)
{
    unsigned int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    if (row >= m || column >= n || row % 2 != 0)
        return;
    float sum = 0;
    for (unsigned int i = 0; i < k; ++i)
        sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}
