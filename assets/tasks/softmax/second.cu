// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with up to 1,024 columns of a row in registers, and each exponential computed once.
//
// Launch    --grid rows --block 128

extern "C" __global__ void softmax(unsigned int rows, unsigned int columns, const float* x, float* y)
{
    __shared__ float part[4];
    const float* from = x + blockIdx.x * columns;
    float* to = y + blockIdx.x * columns;
    float kept[8], largest = -INFINITY, sum = 0;
#pragma unroll
    for (unsigned int i = 0; i < 8; ++i) {
        unsigned int column = 128 * i + threadIdx.x;
        kept[i] = column < columns ? from[column] : -INFINITY;
        largest = fmaxf(largest, kept[i]);
    }
    for (unsigned int column = 1024 + threadIdx.x; column < columns; column += 128)
        largest = fmaxf(largest, from[column]);
    for (int distance = 16; distance > 0; distance /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = largest;
    __syncthreads();
    largest = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));
    __syncthreads();
#pragma unroll
    for (unsigned int i = 0; i < 8; ++i) {
        kept[i] = expf(kept[i] - largest);
        sum += kept[i];
    }
    for (unsigned int column = 1024 + threadIdx.x; column < columns; column += 128)
        sum += expf(from[column] - largest);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    float factor = 1 / (part[0] + part[1] + (part[2] + part[3]));
#pragma unroll
    for (unsigned int i = 0; i < 8; ++i)
        if (128 * i + threadIdx.x < columns)
            to[128 * i + threadIdx.x] = kept[i] * factor;
    for (unsigned int column = 1024 + threadIdx.x; column < columns; column += 128)
        to[column] = expf(from[column] - largest) * factor;
}
