// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transpose, rung 8: 16 bytes a lane on both sides.
//
// Changed   a block takes 128 rows of 128 bytes. A thread reads four vectors of 16 bytes, scatters their elements into
//           the transposed tile in shared memory, and after the barrier reads and writes whole vectors there.
// Frees     a quarter of the load and store instructions (4-byte elements), and more bytes in flight than rung 6.
//           The swizzle works on groups of 16 bytes: group g of row c stands in place g ^ (c / V), V elements a vector,
//           so that scattering and reading back are both free of conflicts.
// Gain      over rung 6: open until run on a GPU; the goal on an H200 is 0.96 of the copy (16384 x 16384, 4 bytes).
//           Rows that are no multiple of 16 bytes are moved element by element.

template <class T>
__device__ void transposeVector(const T* in, T* out, unsigned int width, unsigned int height)
{
    constexpr unsigned int V = 16 / sizeof(T); // elements of a vector
    constexpr unsigned int S = 8 * V;          // columns of the tile: 128 bytes
    constexpr unsigned int G = 128 / V;        // groups of V in a row of the transposed tile
    __shared__ __align__(16) T tile[S * 128];  // 16 KiB, transposed: S rows of 128 elements

    unsigned int tilesX = (width + S - 1) / S;
    unsigned int left = blockIdx.x % tilesX * S;
    unsigned int top = blockIdx.x / tilesX * 128;
    unsigned int column = threadIdx.x % 8 * V; // eight lanes read a line of 128 bytes
    uint4 vector[4] = {};
    bool whole = width % V == 0 && left + column < width;
#pragma unroll
    for (unsigned int k = 0; k < 4; ++k) { // all loads start before the first is used
        unsigned int y = top + threadIdx.x / 8 + 32 * k;
        if (whole && y < height)
            vector[k] = *(const uint4*)&in[(unsigned long long)y * width + left + column];
    }
#pragma unroll
    for (unsigned int k = 0; k < 4; ++k) {
        unsigned int row = threadIdx.x / 8 + 32 * k;
        unsigned int y = top + row;
        __align__(16) T element[V];
        *(uint4*)element = vector[k];
#pragma unroll
        for (unsigned int e = 0; e < V; ++e) {
            if (!whole && left + column + e < width && y < height)
                element[e] = in[(unsigned long long)y * width + left + column + e];
            unsigned int group = (row / V) ^ (threadIdx.x % 8);
            tile[(column + e) * 128 + group * V + row % V] = element[e];
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned int k = 0; k < 4; ++k) {
        unsigned int at = threadIdx.x + 256 * k;
        unsigned int c = at / G, g = at % G;
        unsigned int x = left + c, y = top + g * V;
        if (x >= width || y >= height)
            continue;
        const T* from = &tile[c * 128 + (g ^ (c / V)) * V];
        T* to = &out[(unsigned long long)x * height + y];
        if (height % V == 0)
            *(uint4*)to = *(const uint4*)from;
        else
            for (unsigned int e = 0; e < V && y + e < height; ++e)
                to[e] = from[e];
    }
}

extern "C" __global__ void transpose_vector_1(const unsigned char* in, unsigned char* out, unsigned int width,
                                              unsigned int height)
{
    transposeVector(in, out, width, height);
}

extern "C" __global__ void transpose_vector_2(const unsigned short* in, unsigned short* out, unsigned int width,
                                              unsigned int height)
{
    transposeVector(in, out, width, height);
}

extern "C" __global__ void transpose_vector_4(const unsigned int* in, unsigned int* out, unsigned int width,
                                              unsigned int height)
{
    transposeVector(in, out, width, height);
}

extern "C" __global__ void transpose_vector_8(const unsigned long long* in, unsigned long long* out, unsigned int width,
                                              unsigned int height)
{
    transposeVector(in, out, width, height);
}
