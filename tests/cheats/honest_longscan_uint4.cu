// SPDX-License-Identifier: GPL-3.0-or-later
//
// Four neighbours a thread, as vectors where rows begin at multiples of 16 bytes.
//
// Launch    --grid rows --block 256

extern "C" __global__ void longscan(unsigned int rows, unsigned int columns, const unsigned int* in, unsigned int* out)
{
    __shared__ unsigned int totals[8];
    const unsigned int* from = in + size_t(blockIdx.x) * columns;
    unsigned int* to = out + size_t(blockIdx.x) * columns;
    const bool vectors = columns % 4 == 0;
    unsigned int carried = 0, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (unsigned int begin = 0; begin < columns; begin += 1024) {
        unsigned int at = begin + threadIdx.x * 4;
        uint4 v = {0, 0, 0, 0};
        if (vectors && at < columns)
            v = *reinterpret_cast<const uint4*>(from + at);
        else if (at < columns) {
            v.x = from[at];
            if (at + 1 < columns)
                v.y = from[at + 1];
            if (at + 2 < columns)
                v.z = from[at + 2];
            if (at + 3 < columns)
                v.w = from[at + 3];
        }
        v.y += v.x;
        v.z += v.y;
        v.w += v.z;
        unsigned int sum = v.w;
        for (int d = 1; d < 32; d <<= 1) {
            unsigned int before = __shfl_up_sync(~0u, sum, d);
            if (lane >= d)
                sum += before;
        }
        if (lane == 31)
            totals[warp] = sum;
        __syncthreads();
        unsigned int base = carried + sum - v.w;
        for (unsigned int w = 0; w < 8; ++w) {
            if (w < warp)
                base += totals[w];
            carried += totals[w];
        }
        v.x += base;
        v.y += base;
        v.z += base;
        v.w += base;
        if (vectors && at < columns)
            *reinterpret_cast<uint4*>(to + at) = v;
        else if (at < columns) {
            to[at] = v.x;
            if (at + 1 < columns)
                to[at + 1] = v.y;
            if (at + 2 < columns)
                to[at + 2] = v.z;
            if (at + 3 < columns)
                to[at + 3] = v.w;
        }
        __syncthreads();
    }
}
