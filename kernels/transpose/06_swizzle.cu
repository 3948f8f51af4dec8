// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transpose, rung 6: XOR swizzle instead of padding.
//
// Changed   element (row, column) stands in column `column ^ row` of its row. For a fixed row, and for a fixed column, that
//           runs through all 32 places: rows and columns are free of conflicts.
// Frees     the padding: 4096 bytes instead of 4224 for 4-byte elements, and rows that stay aligned, which 16-byte accesses
//           and the tensor memory accelerator ask for.
// Gain      over rung 5: open until run on a GPU; hardly any in time is expected.

template <class T>
__device__ void transposeSwizzle(const T* in, T* out, unsigned int width, unsigned int height)
{
    __shared__ T tile[32][32];
    unsigned int tilesX = (width + 31) / 32;
    unsigned int left = blockIdx.x % tilesX * 32;
    unsigned int top = blockIdx.x / tilesX * 32;
    unsigned int lane = threadIdx.x % 32;
    for (unsigned int row = threadIdx.x / 32; row < 32; row += 8)
        if (left + lane < width && top + row < height)
            tile[row][lane ^ row] = in[(unsigned long long)(top + row) * width + left + lane];
    __syncthreads();
    for (unsigned int row = threadIdx.x / 32; row < 32; row += 8) // of the output: a column of the tile
        if (top + lane < height && left + row < width)
            out[(unsigned long long)(left + row) * height + top + lane] = tile[lane][row ^ lane];
}

extern "C" __global__ void transpose_swizzle_1(const unsigned char* in, unsigned char* out, unsigned int width,
                                               unsigned int height)
{
    transposeSwizzle(in, out, width, height);
}

extern "C" __global__ void transpose_swizzle_2(const unsigned short* in, unsigned short* out, unsigned int width,
                                               unsigned int height)
{
    transposeSwizzle(in, out, width, height);
}

extern "C" __global__ void transpose_swizzle_4(const unsigned int* in, unsigned int* out, unsigned int width,
                                               unsigned int height)
{
    transposeSwizzle(in, out, width, height);
}

extern "C" __global__ void transpose_swizzle_8(const unsigned long long* in, unsigned long long* out, unsigned int width,
                                               unsigned int height)
{
    transposeSwizzle(in, out, width, height);
}
