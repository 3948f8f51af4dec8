// SPDX-License-Identifier: GPL-3.0-or-later
//
// A compaction that leaves what stood behind the kept numbers.
//
// Launch    --grid rows --block 32

extern "C" __global__ void compaction(unsigned int rows, unsigned int columns, const float* in, float* out,
                                      unsigned int* kept)
{
    unsigned int row = blockIdx.x, lane = threadIdx.x, count = 0;
    for (unsigned int begin = 0; begin < columns; begin += 32) {
        float value = begin + lane < columns ? in[row * columns + begin + lane] : 0;
        unsigned int keeps = __ballot_sync(0xffffffffu, value > 0);
        if (value > 0)
            out[row * columns + count + __popc(keeps & ((1u << lane) - 1))] = value;
        count += __popc(keeps);
    }
    if (lane == 0)
        kept[row] = count;
}
