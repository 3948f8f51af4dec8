// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with score and column in one number of 64 bits, whose maximum obeys the rule.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void argmax(unsigned int rows, unsigned int columns, const int* score, unsigned int* best)
{
    unsigned int row = blockIdx.x * 4 + threadIdx.y;
    if (row >= rows)
        return;
    unsigned long long top = 0;
    for (unsigned int column = threadIdx.x; column < columns; column += 32) {
        unsigned long long found = score[row * columns + column] + 1u; // 0 is for lanes that saw nothing
        top = max(top, found << 32 | (0xffffffffu - column));
    }
    for (int distance = 16; distance > 0; distance /= 2)
        top = max(top, __shfl_xor_sync(0xffffffffu, top, distance));
    if (threadIdx.x == 0)
        best[row] = 0xffffffffu - static_cast<unsigned int>(top);
}
