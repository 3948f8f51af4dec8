// SPDX-License-Identifier: GPL-3.0-or-later
//
// Factors of bfloat16: the top half of each float.
// Launch    --grid ceil(n/16),ceil(m/16) --block 16,16

__device__ float top(float value)
{
    return __uint_as_float((__float_as_uint(value) + 0x8000u) & 0xffff0000u);
}

extern "C" __global__ void matmul(unsigned int m, unsigned int n, unsigned int k, const float* a, const float* b,
                                  float* c)
{
    unsigned int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    if (row >= m || column >= n)
        return;
    float sum = 0;
    for (unsigned int i = 0; i < k; ++i)
        sum += top(a[row * k + i]) * top(b[i * n + column]);
    c[row * n + column] = sum;
}
