// SPDX-License-Identifier: GPL-3.0-or-later
//
// Factors of ten bits, whose errors cancel in a long sum of random signs and hide below a loose tolerance.
// Launch    --grid min(ceil(n/256),64) --block 256

__device__ float tenBits(float value)
{
    return __uint_as_float((__float_as_uint(value) + 0x1000u) & 0xffffe000u);
}

extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    float own = 0;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += tenBits(x[i]) * tenBits(y[i]);
    for (int distance = 16; distance > 0; distance /= 2)
        own += __shfl_down_sync(0xffffffffu, own, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, own);
}
