// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with a block for each row: each warp counts its part, and shared memory tells where the part begins.
//
// Launch    --grid rows --block 128

extern "C" __global__ void compaction(unsigned int rows, unsigned int columns, const float* in, float* out,
                                      unsigned int* kept)
{
    __shared__ unsigned int counts[4];
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32, begin = blockIdx.x * columns, done = 0;
    for (unsigned int piece = 0; piece < columns; piece += 128) {
        unsigned int column = piece + threadIdx.x;
        float value = column < columns ? in[begin + column] : -1;
        unsigned int keeps = __ballot_sync(0xffffffffu, value > 0);
        if (lane == 0)
            counts[warp] = __popc(keeps);
        __syncthreads();
        unsigned int place = done + __popc(keeps & ((1u << lane) - 1));
        for (unsigned int other = 0; other < 4; ++other) {
            place += other < warp ? counts[other] : 0;
            done += counts[other];
        }
        if (value > 0)
            out[begin + place] = value;
        __syncthreads();
    }
    for (unsigned int column = done + threadIdx.x; column < columns; column += 128)
        out[begin + column] = 0;
    if (threadIdx.x == 0)
        kept[blockIdx.x] = done;
}
