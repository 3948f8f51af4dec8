// SPDX-License-Identifier: GPL-3.0-or-later
//
// Column of the largest score of each row, the first of equals; a block for each row.
//
// Launch    --grid rows --block 128

extern "C" __global__ void argmax(unsigned int rows, unsigned int columns, const int* score, unsigned int* best)
{
    // The best that this thread sees.
    // The best of a warp, then that of the block. Mind equals.
}
