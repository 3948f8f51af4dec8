// SPDX-License-Identifier: GPL-3.0-or-later
//
// Walks over device memory in search of something useful.
// Launch    --grid 1 --block 32

extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    float best = 0;
    for (unsigned int step = 0; step < 64; ++step)
        best += x[(unsigned long long)step * 1000003 + threadIdx.x] + y[threadIdx.x % n];
    if (threadIdx.x == 0)
        sum[0] = best;
}
