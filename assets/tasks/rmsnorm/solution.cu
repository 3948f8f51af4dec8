// SPDX-License-Identifier: GPL-3.0-or-later
//
// RMSNorm: a block for each row.
//
// Launch    --grid rows --block 128

extern "C" __global__ void rmsnorm(unsigned int rows, unsigned int columns, const float* x, const float* g, float* y)
{
    // @solution
    // @hint The sum of the squares of this block's row.
    __shared__ float part[4];
    const float* row = x + blockIdx.x * columns;
    float sum = 0;
    for (unsigned int column = threadIdx.x; column < columns; column += 128)
        sum += row[column] * row[column];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    // @hint The factor of the row, and every column with it.
    float factor = rsqrtf((part[0] + part[1] + (part[2] + part[3])) / columns + 1e-5f);
    for (unsigned int column = threadIdx.x; column < columns; column += 128)
        y[blockIdx.x * columns + column] = row[column] * factor * g[column];
    // @end
}
