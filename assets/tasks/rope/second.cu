// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same number by number, with a row of the grid for each token.
//
// Launch    --grid ceil(pairs/64),tokens --block 64

extern "C" __global__ void rope(unsigned int tokens, unsigned int pairs, const float* x, const float* cosine,
                                const float* sine, float* y)
{
    unsigned int p = blockIdx.x * 64 + threadIdx.x, at = blockIdx.y * pairs + p;
    if (p >= pairs)
        return;
    float c = cosine[at], s = sine[at], first = x[2 * at], second = x[2 * at + 1];
    y[2 * at] = first * c - second * s;
    y[2 * at + 1] = first * s + second * c;
}
