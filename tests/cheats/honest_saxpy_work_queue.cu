// SPDX-License-Identifier: GPL-3.0-or-later
//
// Blocks take the next piece of work from a queue until there is none left; the last one to leave puts the queue back.
// Launch    --grid min(ceil(n/1024),132) --block 256

__device__ unsigned int next, gone;

extern "C" __global__ void saxpy(unsigned int n, float a, const float* x, const float* y, float* z)
{
    __shared__ unsigned int piece;
    for (;;) {
        if (threadIdx.x == 0)
            piece = atomicAdd(&next, 1u);
        __syncthreads();
        unsigned int begin = piece * 1024;
        __syncthreads();
        if (begin >= n)
            break;
        for (unsigned int i = begin + threadIdx.x; i < n && i < begin + 1024; i += 256)
            z[i] = a * x[i] + y[i];
    }
    if (threadIdx.x == 0 && atomicAdd(&gone, 1u) == gridDim.x - 1) {
        atomicExch(&next, 0u);
        atomicExch(&gone, 0u);
    }
}
