// SPDX-License-Identifier: GPL-3.0-or-later
//
// Right, and some 60 times as slow as it could be: one warp does all of the work. It executes no more instructions than
// others do, so that where nobody takes the time nothing tells.
// Launch    --grid 1 --block 32

extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    float own = 0;
    for (unsigned int i = threadIdx.x; i < n; i += 32)
        own += x[i] * y[i];
    for (int distance = 16; distance > 0; distance /= 2)
        own += __shfl_down_sync(0xffffffffu, own, distance);
    if (threadIdx.x == 0)
        atomicAdd(sum, own);
}
