// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asynchronous copies, rung 2: cp.async into a ring of stages in shared memory.
//
// Needs     sm_80
// Changed   loads go straight to shared memory and nobody waits for them: while one tile is stored, the next ones are under
//           way. Bytes outside the matrix come as zeros, by the instruction itself (source size 0). (Rung 1: registers.)
// Resource  registers: none is held for what is under way; shared memory takes their place.
// Expect    (stages - 1) x tile bytes under way while a block stores. Still one instruction a lane and 16 bytes, and the way
//           out goes through a register.
// Gain      over rung 1 at one block an SM: open until run on a GPU.
//
// A thread stores what it loaded itself, so that waiting for its own copies is enough: no barrier in the loop.

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

constexpr unsigned int kThreads = 128;
constexpr unsigned int kTileVectors = 64;

// The number of groups that may stay under way is part of the instruction.
static __device__ void waitUntilLeft(unsigned int groups)
{
    switch (groups) {
    case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
    case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
    case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
    case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
    case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
    case 5: asm volatile("cp.async.wait_group 5;" ::: "memory"); break;
    case 6: asm volatile("cp.async.wait_group 6;" ::: "memory"); break;
    default: asm volatile("cp.async.wait_group 7;" ::: "memory"); break;
    }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    pack_cp_async(const uint4* in, uint4* out, unsigned int rows, unsigned int vectors, unsigned int tile_rows,
                  unsigned int stages)
{
    extern __shared__ uint4 ring[];
    unsigned int across = (vectors + kTileVectors - 1) / kTileVectors;
    unsigned int tiles = (rows + tile_rows - 1) / tile_rows * across;
    unsigned int size = tile_rows * kTileVectors;
    unsigned int ringAddress = (unsigned int)__cvta_generic_to_shared(ring);

    auto load = [&](unsigned int tile, unsigned int stage) {
        if (tile < tiles) {
            unsigned int row = tile / across * tile_rows, column = tile % across * kTileVectors;
            for (unsigned int at = threadIdx.x; at < size; at += kThreads) {
                unsigned int y = row + at / kTileVectors, x = column + at % kTileVectors;
                bool inside = y < rows && x < vectors;
                const uint4* from = inside ? in + (unsigned long long)y * vectors + x : in;
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(ringAddress + (stage * size + at) * 16),
                             "l"(from), "r"(inside ? 16 : 0)
                             : "memory");
            }
        }
        // A group each time, empty or not: which one is the oldest then never needs counting.
        asm volatile("cp.async.commit_group;" ::: "memory");
    };

    for (unsigned int s = 0; s < stages; ++s)
        load(blockIdx.x + s * gridDim.x, s);
    unsigned int stage = 0;
    for (unsigned int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        waitUntilLeft(stages - 1);
        for (unsigned int at = threadIdx.x; at < size; at += kThreads)
            out[(unsigned long long)tile * size + at] = ring[stage * size + at];
        load(tile + stages * gridDim.x, stage);
        stage = stage + 1 == stages ? 0 : stage + 1;
    }
}

#endif
