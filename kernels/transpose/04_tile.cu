// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transpose, rung 4: a tile in shared memory.
//
// Changed   a block reads a tile of 32 x 32 elements row by row, and writes it column by column from shared memory: both
//           sides touch memory in order.
// Frees     sectors: 4 a request on both sides for 4-byte elements.
// Costs     a column of the tile lies 32 elements apart: with 4-byte elements all 32 lanes read one bank, 32 passes
//           instead of one.
// Gain      over rung 2 or 3: open until run on a GPU. Published on a laptop's GPU: 57 % of the copy where naive has 32 %.

template <class T>
__device__ void transposeTile(const T* in, T* out, unsigned int width, unsigned int height)
{
    __shared__ T tile[32][32];
    unsigned int tilesX = (width + 31) / 32;
    unsigned int left = blockIdx.x % tilesX * 32;
    unsigned int top = blockIdx.x / tilesX * 32;
    unsigned int lane = threadIdx.x % 32;
    for (unsigned int row = threadIdx.x / 32; row < 32; row += 8)
        if (left + lane < width && top + row < height)
            tile[row][lane] = in[(unsigned long long)(top + row) * width + left + lane];
    __syncthreads();
    for (unsigned int row = threadIdx.x / 32; row < 32; row += 8) // of the output: a column of the tile
        if (top + lane < height && left + row < width)
            out[(unsigned long long)(left + row) * height + top + lane] = tile[lane][row];
}

extern "C" __global__ void transpose_tile_1(const unsigned char* in, unsigned char* out, unsigned int width,
                                            unsigned int height)
{
    transposeTile(in, out, width, height);
}

extern "C" __global__ void transpose_tile_2(const unsigned short* in, unsigned short* out, unsigned int width,
                                            unsigned int height)
{
    transposeTile(in, out, width, height);
}

extern "C" __global__ void transpose_tile_4(const unsigned int* in, unsigned int* out, unsigned int width,
                                            unsigned int height)
{
    transposeTile(in, out, width, height);
}

extern "C" __global__ void transpose_tile_8(const unsigned long long* in, unsigned long long* out, unsigned int width,
                                            unsigned int height)
{
    transposeTile(in, out, width, height);
}
