// SPDX-License-Identifier: GPL-3.0-or-later
//
// Column of the largest score of each row, the first of equals; a block for each row.
//
// Launch    --grid rows --block 128

extern "C" __global__ void argmax(unsigned int rows, unsigned int columns, const int* score, unsigned int* best)
{
    // @solution
    // @hint The best that this thread sees.
    __shared__ int scores[4];
    __shared__ unsigned int places[4];
    int top = -1;
    unsigned int place = 0xffffffffu;
    for (unsigned int column = threadIdx.x; column < columns; column += blockDim.x) {
        int found = score[blockIdx.x * columns + column];
        if (found > top) {
            top = found;
            place = column;
        }
    }
    // @hint The best of a warp, then that of the block. Mind equals.
    auto consider = [&](int other, unsigned int where) {
        if (other > top || (other == top && where < place)) {
            top = other;
            place = where;
        }
    };
    for (int distance = 16; distance > 0; distance /= 2) {
        int other = __shfl_down_sync(0xffffffffu, top, distance);
        consider(other, __shfl_down_sync(0xffffffffu, place, distance));
    }
    if (threadIdx.x % 32 == 0) {
        scores[threadIdx.x / 32] = top;
        places[threadIdx.x / 32] = place;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 4; ++warp)
            consider(scores[warp], places[warp]);
        best[blockIdx.x] = place;
    }
    // @end
}
