// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with two elements for each thread: what comes from b serves two rows.
//
// Launch    --grid ceil(n/16),ceil(m/16),batch --block 16,8

extern "C" __global__ void batched(unsigned int batch, unsigned int m, unsigned int n, unsigned int k, const float* a,
                                   const float* b, float* c)
{
    __shared__ float left[16][17], right[16][16];
    const float* A = a + blockIdx.z * m * k;
    const float* B = b + blockIdx.z * k * n;
    unsigned int x = threadIdx.x, y = threadIdx.y, top = blockIdx.y * 16, column = blockIdx.x * 16 + x;
    float upper = 0, lower = 0;
    for (unsigned int step = 0; step < k; step += 16) {
        for (unsigned int half = 0; half < 16; half += 8) {
            unsigned int row = top + y + half, down = step + y + half;
            left[y + half][x] = row < m && step + x < k ? A[row * k + step + x] : 0;
            right[y + half][x] = down < k && column < n ? B[down * n + column] : 0;
        }
        __syncthreads();
#pragma unroll
        for (unsigned int i = 0; i < 16; ++i) {
            float factor = right[i][x];
            upper = fmaf(left[y][i], factor, upper);
            lower = fmaf(left[y + 8][i], factor, lower);
        }
        __syncthreads();
    }
    if (column >= n)
        return;
    if (top + y < m)
        c[(blockIdx.z * m + top + y) * n + column] = upper;
    if (top + y + 8 < m)
        c[(blockIdx.z * m + top + y + 8) * n + column] = lower;
}
