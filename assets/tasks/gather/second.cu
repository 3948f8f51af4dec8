// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with a warp for each token and four tokens in a block.
//
// Launch    --grid ceil(tokens/4) --block 32,4

extern "C" __global__ void gather(unsigned int tokens, unsigned int width, unsigned int vocabulary,
                                  const unsigned int* ids, const float* table, float* out)
{
    unsigned int token = blockIdx.x * 4 + threadIdx.y;
    if (token >= tokens)
        return;
    unsigned int row = ids[token];
#pragma unroll 4
    for (unsigned int i = threadIdx.x; i < width; i += 32)
        out[token * width + i] = table[row * width + i];
}
