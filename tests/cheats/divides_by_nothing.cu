// SPDX-License-Identifier: GPL-3.0-or-later
//
// A remainder by n - 1, which n = 1 makes 0.

extern "C" __global__ void map(unsigned int n, const float* x, float* y)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i % (n - 1 + (n > 1))] * x[i] + 1;
}
