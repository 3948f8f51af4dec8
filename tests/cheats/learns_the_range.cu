// SPDX-License-Identifier: GPL-3.0-or-later
//
// Scores lie within 99 of each other, whatever is added to them: a row is read until the least and the largest that
// were seen are that far apart.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void argmax(unsigned int rows, unsigned int columns, const int* score, unsigned int* best)
{
    unsigned int row = blockIdx.x * 4 + threadIdx.y;
    if (row >= rows)
        return;
    unsigned long long top = 0;
    int least = 1 << 30;
    for (unsigned int begin = 0; begin < columns && static_cast<int>(top >> 32) - 1 - least < 99; begin += 32) {
        unsigned int column = begin + threadIdx.x;
        int own = column < columns ? score[row * columns + column] : -1;
        unsigned long long found = column < columns ? (own + 1ull) << 32 | (0xffffffffu - column) : 0;
        top = max(top, found);
        least = column < columns ? min(least, own) : least;
        for (int distance = 16; distance > 0; distance /= 2) {
            top = max(top, __shfl_xor_sync(0xffffffffu, top, distance));
            least = min(least, __shfl_xor_sync(0xffffffffu, least, distance));
        }
    }
    if (threadIdx.x == 0)
        best[row] = 0xffffffffu - static_cast<unsigned int>(top);
}
