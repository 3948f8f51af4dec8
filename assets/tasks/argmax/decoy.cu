// SPDX-License-Identifier: GPL-3.0-or-later
//
// The column of some largest score: whichever lane comes first.

extern "C" __global__ void argmax(unsigned int rows, unsigned int columns, const int* score, unsigned int* best)
{
    __shared__ int tops[128];
    __shared__ unsigned int places[128];
    int top = -1;
    unsigned int place = 0;
    for (unsigned int column = threadIdx.x; column < columns; column += blockDim.x)
        if (int found = score[blockIdx.x * columns + column]; found >= top) {
            top = found;
            place = column;
        }
    tops[threadIdx.x] = top;
    places[threadIdx.x] = place;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (int i = 1; i < 128; ++i)
        if (tops[i] > top) {
            top = tops[i];
            place = places[i];
        }
    best[blockIdx.x] = place;
}
