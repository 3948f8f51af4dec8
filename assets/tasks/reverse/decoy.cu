// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pieces turned round in bfloat16, at half the shared memory.

#include <cuda_bf16.h>

extern "C" __global__ void reverse(unsigned int n, const float* in, float* out)
{
    __shared__ __nv_bfloat16 piece[256];
    unsigned int begin = blockIdx.x * 256, length = min(256u, n - begin), t = threadIdx.x;
    if (t < length)
        piece[t] = __float2bfloat16(in[begin + t]);
    __syncthreads();
    if (t < length)
        out[begin + t] = __bfloat162float(piece[length - 1 - t]);
}
