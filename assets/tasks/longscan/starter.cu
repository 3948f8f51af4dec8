// SPDX-License-Identifier: GPL-3.0-or-later
//
// Running sums of rows of any length: a block for each row, piece by piece with a carry.
//
// Launch    --grid rows --block 256

extern "C" __global__ void longscan(unsigned int rows, unsigned int columns, const unsigned int* in, unsigned int* out)
{
    // Along the row in pieces as long as the block.
        // Running sums of the piece.
        // What comes before this warp, and what will come before the next piece.
}
