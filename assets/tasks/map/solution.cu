// SPDX-License-Identifier: GPL-3.0-or-later
//
// Map: y = x x + 1, one element for each thread.
//
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void map(unsigned int n, const float* x, float* y)
{
    // @solution
    // @hint Which element is this thread's?
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    // @hint Not every thread has one.
    if (i < n)
        y[i] = x[i] * x[i] + 1;
    // @end
}
