// SPDX-License-Identifier: GPL-3.0-or-later
//
// Groups of 32 floats as bytes with a common exponent: a warp for each group.
//
// Launch    --grid ceil(groups/8) --block 256

extern "C" __global__ void quantize(unsigned int groups, const float* x, signed char* q, int* exponent)
{
    // The largest magnitude of the group, in every lane.
    // Which power of two brings it to 127 or just below?
    // Divide, round, store.
}
