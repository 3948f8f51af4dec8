// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transpose, rung 7: diagonal order of blocks.
//
// Changed   neighbouring blocks take tiles along a diagonal instead of along a row.
// Frees     nothing any more. On chips of capability 1.x address bits chose the memory partition, and blocks in a row
//           wrote a column of tiles into one partition. Since then addresses are hashed over the partitions.
// Gain      over rung 6: open until run on a GPU; none is expected. It stays because books still advise it.

template <class T>
__device__ void transposeDiagonal(const T* in, T* out, unsigned int width, unsigned int height)
{
    __shared__ T tile[32][32];
    unsigned int tilesX = (width + 31) / 32;
    unsigned int tilesY = (height + 31) / 32;
    unsigned int tileY = blockIdx.x % tilesY;
    unsigned int tileX = (blockIdx.x / tilesY + tileY) % tilesX;
    unsigned int left = tileX * 32;
    unsigned int top = tileY * 32;
    unsigned int lane = threadIdx.x % 32;
    for (unsigned int row = threadIdx.x / 32; row < 32; row += 8)
        if (left + lane < width && top + row < height)
            tile[row][lane ^ row] = in[(unsigned long long)(top + row) * width + left + lane];
    __syncthreads();
    for (unsigned int row = threadIdx.x / 32; row < 32; row += 8) // of the output: a column of the tile
        if (top + lane < height && left + row < width)
            out[(unsigned long long)(left + row) * height + top + lane] = tile[lane][row ^ lane];
}

extern "C" __global__ void transpose_diagonal_1(const unsigned char* in, unsigned char* out, unsigned int width,
                                                unsigned int height)
{
    transposeDiagonal(in, out, width, height);
}

extern "C" __global__ void transpose_diagonal_2(const unsigned short* in, unsigned short* out, unsigned int width,
                                                unsigned int height)
{
    transposeDiagonal(in, out, width, height);
}

extern "C" __global__ void transpose_diagonal_4(const unsigned int* in, unsigned int* out, unsigned int width,
                                                unsigned int height)
{
    transposeDiagonal(in, out, width, height);
}

extern "C" __global__ void transpose_diagonal_8(const unsigned long long* in, unsigned long long* out, unsigned int width,
                                                unsigned int height)
{
    transposeDiagonal(in, out, width, height);
}
