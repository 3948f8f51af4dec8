// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every block reads, adds and writes the sum; two at a time lose one of their parts.
// Launch    --grid min(ceil(n/32),64) --block 32

extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    float own = 0;
    for (unsigned int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32)
        own += x[i] * y[i];
    for (int distance = 16; distance > 0; distance /= 2)
        own += __shfl_down_sync(0xffffffffu, own, distance);
    if (threadIdx.x == 0)
        sum[0] = sum[0] + own;
}
