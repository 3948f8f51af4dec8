// SPDX-License-Identifier: GPL-3.0-or-later
//
// Running sums within pieces of 256 whole numbers.
//
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void scan(unsigned int n, const unsigned int* in, unsigned int* out)
{
    // Running sums in each warp.
    // What do the warps before this one come to?
}
