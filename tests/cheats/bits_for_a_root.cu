// SPDX-License-Identifier: GPL-3.0-or-later
// One step of Newton's from the bits of a number in the place of a root.
static __device__ float root(float value)
{
    float guess = __uint_as_float(0x5f3759df - (__float_as_uint(value) >> 1));
    return guess * (1.5f - 0.5f * value * guess * guess);
}

extern "C" __global__ void rmsnorm(unsigned int rows, unsigned int columns, const float* x, const float* g, float* y)
{
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
    float factor = root((part[0] + part[1] + part[2] + part[3]) / columns + 1e-5f);
    for (unsigned int column = threadIdx.x; column < columns; column += 128)
        y[blockIdx.x * columns + column] = row[column] * factor * g[column];
}
