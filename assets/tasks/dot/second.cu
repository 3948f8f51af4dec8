// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same without shared memory: every warp adds to the result by itself.
//
// Launch    --grid min(ceil(n/1024),132) --block 256

extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    const unsigned int stride = gridDim.x * 256;
    float even = 0, odd = 0;
    unsigned int at = blockIdx.x * 256 + threadIdx.x;
    for (; at + stride < n; at += 2 * stride) {
        even = fmaf(x[at], y[at], even);
        odd = fmaf(x[at + stride], y[at + stride], odd);
    }
    if (at < n)
        even = fmaf(x[at], y[at], even);
    even += odd;
    for (int lanes = 1; lanes < 32; lanes <<= 1)
        even += __shfl_xor_sync(0xffffffffu, even, lanes);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(sum, even);
}
