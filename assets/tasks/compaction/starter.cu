// SPDX-License-Identifier: GPL-3.0-or-later
//
// The positive numbers of each row moved to its front: a warp for each row.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void compaction(unsigned int rows, unsigned int columns, const float* in, float* out,
                                      unsigned int* kept)
{
    // Along the row, 32 elements at a time; some lanes have none in the last step.
        // Which lanes keep theirs, and how many of them stand before this one?
    // The rest of the row, and the number.
}
