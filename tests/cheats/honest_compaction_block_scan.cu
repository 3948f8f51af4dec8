// SPDX-License-Identifier: GPL-3.0-or-later
//
// CUB's scan of a block. The line // Launch stands behind the #include.

#include <cub/cub.cuh>
// Launch    --grid rows --block 128
extern "C" __global__ void compaction(unsigned int rows, unsigned int columns, const float* in, float* out,
                                      unsigned int* kept)
{
    using Scan = cub::BlockScan<unsigned int, 128>;
    __shared__ typename Scan::TempStorage storage;
    in += blockIdx.x * columns, out += blockIdx.x * columns;
    unsigned int count = 0;
    for (unsigned int begin = 0; begin < columns; begin += 128) {
        float x = begin + threadIdx.x < columns ? in[begin + threadIdx.x] : 0.f;
        unsigned int place, all;
        Scan(storage).ExclusiveSum(x > 0, place, all);
        if (x > 0)
            out[count + place] = x;
        count += all;
        __syncthreads();
    }
    for (unsigned int i = count + threadIdx.x; i < columns; i += 128)
        out[i] = 0;
    if (threadIdx.x == 0)
        kept[blockIdx.x] = count;
}
