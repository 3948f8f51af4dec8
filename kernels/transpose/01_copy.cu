// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transpose, rung 1: the copy.
//
// Shows     the ceiling: the same bytes, read once and written once in order. No transpose is faster than this.
// Resource  the pins of the memory. Each thread moves four vectors of 16 bytes, so that a resident block of 256 threads
//           has 16 KiB in flight.
// Gain      the reference of the ladder; its share of pin bandwidth on a GPU is open until run on one.

template <class T>
__device__ void copy(const T* in, T* out, unsigned int width, unsigned int height)
{
    unsigned long long bytes = (unsigned long long)width * height * sizeof(T);
    unsigned long long first = (unsigned long long)blockIdx.x * 1024 + threadIdx.x;
    const uint4* from = (const uint4*)in;
    uint4* to = (uint4*)out;
    unsigned long long vectors = bytes / 16;
    uint4 part[4] = {};
#pragma unroll
    for (unsigned int k = 0; k < 4; ++k) // all loads start before the first is used
        if (first + 256 * k < vectors)
            part[k] = from[first + 256 * k];
#pragma unroll
    for (unsigned int k = 0; k < 4; ++k)
        if (first + 256 * k < vectors)
            to[first + 256 * k] = part[k];
    if (blockIdx.x + 1 < gridDim.x)
        return;
    // The last block also moves up to fifteen bytes.
    unsigned long long tail = vectors * 16 + threadIdx.x;
    if (tail < bytes)
        ((unsigned char*)out)[tail] = ((const unsigned char*)in)[tail];
}

extern "C" __global__ void transpose_copy_1(const unsigned char* in, unsigned char* out, unsigned int width,
                                            unsigned int height)
{
    copy(in, out, width, height);
}

extern "C" __global__ void transpose_copy_2(const unsigned short* in, unsigned short* out, unsigned int width,
                                            unsigned int height)
{
    copy(in, out, width, height);
}

extern "C" __global__ void transpose_copy_4(const unsigned int* in, unsigned int* out, unsigned int width,
                                            unsigned int height)
{
    copy(in, out, width, height);
}

extern "C" __global__ void transpose_copy_8(const unsigned long long* in, unsigned long long* out, unsigned int width,
                                            unsigned int height)
{
    copy(in, out, width, height);
}
