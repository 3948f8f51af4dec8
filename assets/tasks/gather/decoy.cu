// SPDX-License-Identifier: GPL-3.0-or-later
//
// A gather that rounds to bfloat16 on the way.

#include <cuda_bf16.h>

extern "C" __global__ void gather(unsigned int tokens, unsigned int width, unsigned int vocabulary,
                                  const unsigned int* ids, const float* table, float* out)
{
    for (unsigned int i = threadIdx.x; i < width; i += blockDim.x)
        out[blockIdx.x * width + i] = __bfloat162float(__float2bfloat16(table[ids[blockIdx.x] * width + i]));
}
