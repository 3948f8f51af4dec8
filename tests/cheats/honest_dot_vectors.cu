// SPDX-License-Identifier: GPL-3.0-or-later
//
// Four products a load, two sums side by side, one atomic a block.
// Launch    --grid min(ceil(n/1024),132) --block 256

extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    __shared__ float part[8];
    unsigned int threads = gridDim.x * blockDim.x, me = blockIdx.x * blockDim.x + threadIdx.x;
    float even = 0, odd = 0;
    for (unsigned int i = me; i < n / 4; i += threads) {
        float4 p = ((const float4*)x)[i], q = ((const float4*)y)[i];
        even += p.x * q.x + p.z * q.z;
        odd += p.y * q.y + p.w * q.w;
    }
    for (unsigned int i = n / 4 * 4 + me; i < n; i += threads)
        even += x[i] * y[i];
    even += odd;
    for (int distance = 16; distance > 0; distance /= 2)
        even += __shfl_xor_sync(0xffffffffu, even, distance);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = even;
    __syncthreads();
    if (threadIdx.x < 32) {
        float all = threadIdx.x < 8 ? part[threadIdx.x] : 0;
        for (int distance = 4; distance > 0; distance /= 2)
            all += __shfl_down_sync(0xffffffffu, all, distance);
        if (threadIdx.x == 0)
            atomicAdd(sum, all);
    }
}
