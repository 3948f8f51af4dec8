// SPDX-License-Identifier: GPL-3.0-or-later
//
// Largest of each 2 x 2 square; one thread for each result.
//
// Launch    --grid ceil(columns/64),ceil(rows/16) --block 32,8

extern "C" __global__ void pooling(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    // The place in the result, then the square that it stands for.
    // Three more, as far as they exist.
}
