// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rotary positions: one thread for each pair.
//
// Launch    --grid ceil(tokens*pairs/256) --block 256

extern "C" __global__ void rope(unsigned int tokens, unsigned int pairs, const float* x, const float* cosine,
                                const float* sine, float* y)
{
    // @solution
    // @hint The pair of this thread, among those of all tokens.
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tokens * pairs)
        return;
    // @hint Both numbers at once, both results at once.
    float2 pair = reinterpret_cast<const float2*>(x)[i];
    float c = cosine[i], s = sine[i];
    reinterpret_cast<float2*>(y)[i] = make_float2(pair.x * c - pair.y * s, pair.x * s + pair.y * c);
    // @end
}
