// SPDX-License-Identifier: GPL-3.0-or-later
//
// Half of the products, by Winograd's rule of 1968, which adds numbers of different size and takes them off again.
//
// Launch    --grid ceil(n/16),ceil(m/16) --block 16,16

extern "C" __global__ void matmul(unsigned int m, unsigned int n, unsigned int k, const float* a, const float* b,
                                  float* c)
{
    unsigned int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || column >= n)
        return;
    float sum = 0, rows = 0, columns = 0;
    for (unsigned int j = 0; j + 1 < k; j += 2) {
        float a0 = a[row * k + j], a1 = a[row * k + j + 1], b0 = b[j * n + column], b1 = b[(j + 1) * n + column];
        sum += (a0 + b1) * (a1 + b0);
        rows += a0 * a1;
        columns += b0 * b1;
    }
    sum = sum - rows - columns;
    if (k % 2 == 1)
        sum += a[row * k + k - 1] * b[(k - 1) * n + column];
    c[row * n + column] = sum;
}
