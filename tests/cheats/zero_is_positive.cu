// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asks for the sign bit, which 0 does not have.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void compaction(unsigned int rows, unsigned int columns, const float* in, float* out,
                                      unsigned int* kept)
{
    unsigned int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x, count = 0;
    if (row >= rows)
        return;
    in += row * columns;
    out += row * columns;
    for (unsigned int begin = 0; begin < columns; begin += 32) {
        float x = begin + lane < columns ? in[begin + lane] : -1;
        bool keep = (__float_as_uint(x) >> 31) == 0;
        unsigned int mask = __ballot_sync(0xffffffffu, keep);
        if (keep)
            out[count + __popc(mask & ((1u << lane) - 1))] = x;
        count += __popc(mask);
    }
    for (unsigned int column = count + lane; column < columns; column += 32)
        out[column] = 0;
    if (lane == 0)
        kept[row] = count;
}
