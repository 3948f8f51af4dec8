// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rotary positions: one thread for each pair.
//
// Launch    --grid ceil(tokens*pairs/256) --block 256

extern "C" __global__ void rope(unsigned int tokens, unsigned int pairs, const float* x, const float* cosine,
                                const float* sine, float* y)
{
    // The pair of this thread, among those of all tokens.
    // Both numbers at once, both results at once.
}
