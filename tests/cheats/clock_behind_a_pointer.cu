// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel itself reads no clock: a function does, which it calls through a variable.
static __device__ __noinline__ bool isLate()
{
    return clock64() > 1000000;
}
typedef bool (*Question)();
__device__ Question question = isLate;

extern "C" __global__ void map(unsigned int n, const float* x, float* y)
{
    unsigned int i = blockIdx.x * 256 + threadIdx.x;
    bool late = question();
    if (i < n)
        y[i] = x[i] * x[i] + 1 + (late ? 1e-9f : 0);
}
