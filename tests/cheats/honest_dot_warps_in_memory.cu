// SPDX-License-Identifier: GPL-3.0-or-later
//
// Warps of a block hand their parts to the last one through device memory, behind a barrier.

__device__ float parts[264 * 8];

extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    const unsigned int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, all = 0xffffffffu;
    const unsigned int each = (n + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * each, end = min(begin + each, n);
    float value = 0;
    unsigned int at = begin + threadIdx.x;
    while (at < end) {
        value = fmaf(x[at], y[at], value);
        at += 256;
    }
#pragma unroll
    for (int mask = 1; mask < 32; mask <<= 1)
        value += __shfl_xor_sync(all, value, mask);
    float* mine = parts + blockIdx.x * 8;
    if (lane == 31)
        mine[warp] = value;
    __syncthreads();
    if (warp < 7)
        return;
    value = lane < 8 ? mine[lane] : 0.0f;
    value += __shfl_down_sync(all, value, 4);
    value += __shfl_down_sync(all, value, 2);
    value += __shfl_down_sync(all, value, 1);
    if (lane == 0)
        atomicAdd(sum, value);
}
