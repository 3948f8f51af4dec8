// SPDX-License-Identifier: GPL-3.0-or-later
//
// The last block, by a ticket that atomicInc() sets back, adds up the parts.
//
// Launch    --grid min(ceil(n/1024),132) --block 128

__device__ float parts[132];
__device__ unsigned int ticket;
__device__ __forceinline__ float warpSum(float v)
{
    for (int o = 16; o; o >>= 1)
        v += __shfl_down_sync(~0u, v, o);
    return v;
}
extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    __shared__ float s[4];
    __shared__ bool last;
    float own = 0;
    for (unsigned int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128)
        own += x[i] * y[i];
    own = warpSum(own);
    if ((threadIdx.x & 31) == 0)
        s[threadIdx.x >> 5] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = (s[0] + s[1]) + (s[2] + s[3]);
        __threadfence();
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x >= 32)
        return;
    __threadfence();
    float all = 0;
    for (unsigned int i = threadIdx.x; i < gridDim.x; i += 32)
        all += __ldcg(&parts[i]);
    all = warpSum(all);
    if (threadIdx.x == 0)
        *sum = all;
}
