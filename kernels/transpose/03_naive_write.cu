// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transpose, rung 3: naive, writes in order.
//
// Changed   the lanes of a warp lie along a column of the input, which is a row of the output: now the loads are `width`
//           elements apart and the stores are in order.
// Resource  32-byte sectors of the loads: 32 a request. As many as rung 2 touches, only on the other side.
// Expect    loads may find their sectors in L1 when the next rows of the tile come; stores pass by L1. Which of the two
//           is faster is up to the caches.
// Gain      over rung 2: open until run on a GPU.

template <class T>
__device__ void transposeNaiveWrite(const T* in, T* out, unsigned int width, unsigned int height)
{
    unsigned int tilesX = (width + 31) / 32;
    unsigned int left = blockIdx.x % tilesX * 32 + threadIdx.x / 32;
    unsigned int y = blockIdx.x / tilesX * 32 + threadIdx.x % 32;
    for (unsigned int x = left; x < left + 32; x += 8)
        if (x < width && y < height)
            out[(unsigned long long)x * height + y] = in[(unsigned long long)y * width + x];
}

extern "C" __global__ void transpose_naive_write_1(const unsigned char* in, unsigned char* out, unsigned int width,
                                                   unsigned int height)
{
    transposeNaiveWrite(in, out, width, height);
}

extern "C" __global__ void transpose_naive_write_2(const unsigned short* in, unsigned short* out, unsigned int width,
                                                   unsigned int height)
{
    transposeNaiveWrite(in, out, width, height);
}

extern "C" __global__ void transpose_naive_write_4(const unsigned int* in, unsigned int* out, unsigned int width,
                                                   unsigned int height)
{
    transposeNaiveWrite(in, out, width, height);
}

extern "C" __global__ void transpose_naive_write_8(const unsigned long long* in, unsigned long long* out, unsigned int width,
                                                   unsigned int height)
{
    transposeNaiveWrite(in, out, width, height);
}
