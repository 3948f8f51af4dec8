// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rotation in fp16.

#include <cuda_bf16.h>

extern "C" __global__ void rope(unsigned int tokens, unsigned int pairs, const float* x, const float* cosine,
                                const float* sine, float* y)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tokens * pairs)
        return;
    auto coarse = [](float value) { return __bfloat162float(__float2bfloat16(value)); };
    float c = coarse(cosine[i]), s = coarse(sine[i]), first = coarse(x[2 * i]), second = coarse(x[2 * i + 1]);
    y[2 * i] = first * c - second * s;
    y[2 * i + 1] = first * s + second * c;
}
