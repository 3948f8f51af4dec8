// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transpose, rung 2: naive, reads in order.
//
// Shows     that a matrix cannot be read and written in order at the same time by one thread an element.
// Resource  32-byte sectors of the stores: neighbouring lanes write `height` elements apart, so that every lane touches a
//           sector of its own: 32 a request where 4-byte elements need 4.
// Expect    the caches repair part of it: a sector that stays in L2 until its neighbours have written too goes to memory
//           once. Published: 124 of 389 GB/s of the copy on a laptop's GPU, 32 %.
// Gain      slower than the copy; open until run on a GPU.

// A block of 256 threads moves a tile of 32 x 32 elements, a warp eight rows apart at a time.
template <class T>
__device__ void transposeNaiveRead(const T* in, T* out, unsigned int width, unsigned int height)
{
    unsigned int tilesX = (width + 31) / 32;
    unsigned int x = blockIdx.x % tilesX * 32 + threadIdx.x % 32;
    unsigned int top = blockIdx.x / tilesX * 32 + threadIdx.x / 32;
    for (unsigned int y = top; y < top + 32; y += 8)
        if (x < width && y < height)
            out[(unsigned long long)x * height + y] = in[(unsigned long long)y * width + x];
}

extern "C" __global__ void transpose_naive_read_1(const unsigned char* in, unsigned char* out, unsigned int width,
                                                  unsigned int height)
{
    transposeNaiveRead(in, out, width, height);
}

extern "C" __global__ void transpose_naive_read_2(const unsigned short* in, unsigned short* out, unsigned int width,
                                                  unsigned int height)
{
    transposeNaiveRead(in, out, width, height);
}

extern "C" __global__ void transpose_naive_read_4(const unsigned int* in, unsigned int* out, unsigned int width,
                                                  unsigned int height)
{
    transposeNaiveRead(in, out, width, height);
}

extern "C" __global__ void transpose_naive_read_8(const unsigned long long* in, unsigned long long* out, unsigned int width,
                                                  unsigned int height)
{
    transposeNaiveRead(in, out, width, height);
}
