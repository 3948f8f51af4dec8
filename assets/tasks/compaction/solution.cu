// SPDX-License-Identifier: GPL-3.0-or-later
//
// The positive numbers of each row moved to its front: a warp for each row.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void compaction(unsigned int rows, unsigned int columns, const float* in, float* out,
                                      unsigned int* kept)
{
    // @solution
    // @hint Along the row, 32 elements at a time; some lanes have none in the last step.
    unsigned int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x, count = 0;
    if (row >= rows)
        return;
    const float* from = in + row * columns;
    float* to = out + row * columns;
    for (unsigned int begin = 0; begin < columns; begin += 32) {
        unsigned int column = begin + lane;
        float value = column < columns ? from[column] : 0;
        // @hint Which lanes keep theirs, and how many of them stand before this one?
        unsigned int keeps = __ballot_sync(0xffffffffu, value > 0);
        if (value > 0)
            to[count + __popc(keeps & ((1u << lane) - 1))] = value;
        count += __popc(keeps);
    }
    // @hint The rest of the row, and the number.
    for (unsigned int column = count + lane; column < columns; column += 32)
        to[column] = 0;
    if (lane == 0)
        kept[row] = count;
    // @end
}
