// SPDX-License-Identifier: GPL-3.0-or-later
//
// The largest and its least column by redux.sync.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void argmax(unsigned int rows, unsigned int columns, const int* score, unsigned int* best)
{
    unsigned int row = blockIdx.x * 4 + threadIdx.y;
    if (row >= rows)
        return;
    int most = -1;
    unsigned int where = 0xffffffffu;
    for (unsigned int i = threadIdx.x; i < columns; i += 32) {
        int s = score[row * columns + i];
        if (s > most)
            most = s, where = i;
    }
    int top = __reduce_max_sync(~0u, most);
    unsigned int at = __reduce_min_sync(~0u, most == top ? where : 0xffffffffu);
    if (threadIdx.x == 0)
        best[row] = at;
}
