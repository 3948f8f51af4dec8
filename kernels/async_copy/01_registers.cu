// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asynchronous copies, rung 1: through registers.
//
// Shows     packing a matrix into tiles, as the first step of a tiled kernel does, with plain loads and stores. Elements of a
//           tile outside the matrix become zero.
// Resource  registers: what is under way from memory has a register waiting for it, 16 bytes an instruction and lane.
// Expect    128 threads x 8 loads of 16 bytes: at most 16 KiB under way a block, in 32 registers a thread. Some 40 KiB an SM
//           are needed to keep the pins of an H100 busy, so one block an SM falls short.
// Gain      the first rung. Time: open until run on a GPU.
//
// in: rows of `vectors` 16-byte vectors; out: tile after tile, each `tileRows` rows of 64 vectors (1 KiB). A block takes
// every gridDim.x-th tile, in all rungs.

constexpr unsigned int kThreads = 128;
constexpr unsigned int kTileVectors = 64; // 16-byte vectors in a row of a tile
constexpr int kHeld = 8;                  // loads of a thread before its first store

extern "C" __global__ void __launch_bounds__(kThreads)
    pack_registers(const uint4* in, uint4* out, unsigned int rows, unsigned int vectors, unsigned int tile_rows)
{
    unsigned int across = (vectors + kTileVectors - 1) / kTileVectors;
    unsigned int tiles = (rows + tile_rows - 1) / tile_rows * across;
    for (unsigned int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        unsigned int row = tile / across * tile_rows, column = tile % across * kTileVectors;
        unsigned int size = tile_rows * kTileVectors;
        for (unsigned int first = threadIdx.x; first < size; first += kHeld * kThreads) {
            uint4 held[kHeld];
#pragma unroll
            for (int h = 0; h < kHeld; ++h) {
                unsigned int at = first + h * kThreads;
                unsigned int y = row + at / kTileVectors, x = column + at % kTileVectors;
                held[h] = uint4{0, 0, 0, 0};
                if (at < size && y < rows && x < vectors)
                    held[h] = in[(unsigned long long)y * vectors + x];
            }
#pragma unroll
            for (int h = 0; h < kHeld; ++h) {
                unsigned int at = first + h * kThreads;
                if (at < size)
                    out[(unsigned long long)tile * size + at] = held[h];
            }
        }
    }
}
