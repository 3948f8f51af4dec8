// SPDX-License-Identifier: GPL-3.0-or-later
//
// Zeros are counted from behind, so that each is written once; places by %lanemask_lt.
//
// Launch    --grid ceil(rows/8) --block 256

__device__ unsigned int below()
{
    unsigned int m;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
    return m;
}
extern "C" __global__ void compaction(unsigned int rows, unsigned int columns, const float* in, float* out,
                                      unsigned int* kept)
{
    unsigned int row = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    const float* from = in + row * columns;
    float* to = out + row * columns;
    unsigned int front = 0, back = columns;
    // what goes is counted from behind: zeros, each written once
    for (unsigned int b = 0; b < columns; b += 32) {
        bool there = b + lane < columns;
        float x = there ? from[b + lane] : 0.f;
        unsigned int keep = __ballot_sync(~0u, there && x > 0), drop = __ballot_sync(~0u, there && !(x > 0));
        if (keep >> lane & 1)
            to[front + __popc(keep & below())] = x;
        if (drop >> lane & 1)
            to[back - 1 - __popc(drop & below())] = 0;
        front += __popc(keep);
        back -= __popc(drop);
    }
    if (lane == 0)
        kept[row] = front;
}
