// SPDX-License-Identifier: GPL-3.0-or-later
//
// Crossover, rung 1: y = a x + y, one element for each thread.
//
// Shows     work that a processor finishes before a GPU has begun, until there is enough of it.
// Resource  memory bandwidth: 12 bytes cross the pins for two operations.
// Expect    microseconds of launch below some 10^5 elements, whatever their number; then time grows with the elements.
// Gain      over all cores of a processor at 2^24 elements: open until run on a GPU.

extern "C" __global__ void __launch_bounds__(256) saxpy(unsigned int n, float a, const float* x, float* y)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __fmaf_rn(a, x[i], y[i]);
}
