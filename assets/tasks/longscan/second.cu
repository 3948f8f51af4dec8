// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with four neighbouring elements for each thread.
//
// Launch    --grid rows --block 256

extern "C" __global__ void longscan(unsigned int rows, unsigned int columns, const unsigned int* in, unsigned int* out)
{
    __shared__ unsigned int total[8];
    const unsigned int* from = in + blockIdx.x * columns;
    unsigned int* to = out + blockIdx.x * columns;
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32, carry = 0;
    for (unsigned int begin = 0; begin < columns; begin += 1024) {
        unsigned int first = begin + 4 * threadIdx.x, values[4], own = 0;
        for (unsigned int k = 0; k < 4; ++k) {
            values[k] = first + k < columns ? from[first + k] : 0;
            own += values[k];
        }
        unsigned int upTo = own;
        for (unsigned int distance = 1; distance < 32; distance *= 2) {
            unsigned int before = __shfl_up_sync(0xffffffffu, upTo, distance);
            upTo += lane >= distance ? before : 0;
        }
        if (begin > 0)
            __syncthreads();
        if (lane == 31)
            total[warp] = upTo;
        __syncthreads();
        unsigned int running = carry + upTo - own;
        for (unsigned int other = 0; other < 8; ++other) {
            running += other < warp ? total[other] : 0;
            carry += total[other];
        }
        for (unsigned int k = 0; k < 4; ++k) {
            running += values[k];
            if (first + k < columns)
                to[first + k] = running;
        }
    }
}
