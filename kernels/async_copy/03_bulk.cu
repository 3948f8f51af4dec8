// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asynchronous copies, rung 3: cp.async.bulk and mbarriers.
//
// Needs     sm_90
// Changed   one thread asks for whole rows of a tile; the copy engine moves them and tells an mbarrier how many bytes have
//           come. (Rung 2: an instruction for every 16 bytes of every lane.)
// Resource  instruction issue: 1 KiB an instruction in place of 512 bytes a warp instruction and its address arithmetic.
// Expect    as many bytes under way as rung 2 from a fraction of its load instructions. A bulk copy cannot fill with zeros:
//           where a tile leaves the matrix, threads do it when they store.
// Gain      over rung 2: open until run on a GPU.
//
// The barrier of a stage completes when its thread has arrived and all bytes have; its phase flips once a round of the
// ring, which is what `parity` counts. Waiting for the wrong parity passes at once or hangs for ever.

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

constexpr unsigned int kThreads = 128;
constexpr unsigned int kTileVectors = 64;
constexpr unsigned int kMostStages = 8;

static __device__ unsigned int sharedAddress(const void* at) { return (unsigned int)__cvta_generic_to_shared(at); }

static __device__ void waitFor(unsigned int barrier, unsigned int parity)
{
    asm volatile("{ .reg .pred done;\n"
                 "WAIT: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra WAIT; }" ::"r"(barrier), "r"(parity)
                 : "memory");
}

extern "C" __global__ void __launch_bounds__(kThreads)
    pack_bulk(const uint4* in, uint4* out, unsigned int rows, unsigned int vectors, unsigned int tile_rows,
              unsigned int stages)
{
    extern __shared__ __align__(128) uint4 ring[];
    __shared__ unsigned long long full[kMostStages];
    unsigned int across = (vectors + kTileVectors - 1) / kTileVectors;
    unsigned int tiles = (rows + tile_rows - 1) / tile_rows * across;
    unsigned int size = tile_rows * kTileVectors;

    if (threadIdx.x == 0) {
        for (unsigned int s = 0; s < stages; ++s)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sharedAddress(&full[s])) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // the copy engine must see them, too
    }
    __syncthreads();

    auto load = [&](unsigned int tile, unsigned int stage) { // by one thread
        if (tile >= tiles)
            return;
        unsigned int row = tile / across * tile_rows, column = tile % across * kTileVectors;
        unsigned int height = min(tile_rows, rows - row), bytes = min(kTileVectors, vectors - column) * 16;
        unsigned int barrier = sharedAddress(&full[stage]);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(height * bytes)
                     : "memory");
        for (unsigned int y = 0; y < height; ++y)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                             sharedAddress(ring + stage * size + y * kTileVectors)),
                         "l"(in + (unsigned long long)(row + y) * vectors + column), "r"(bytes), "r"(barrier)
                         : "memory");
    };

    if (threadIdx.x == 0)
        for (unsigned int s = 0; s < stages; ++s)
            load(blockIdx.x + s * gridDim.x, s);
    unsigned int stage = 0, parity = 0;
    for (unsigned int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        unsigned int row = tile / across * tile_rows, column = tile % across * kTileVectors;
        waitFor(sharedAddress(&full[stage]), parity);
        for (unsigned int at = threadIdx.x; at < size; at += kThreads) {
            bool inside = row + at / kTileVectors < rows && column + at % kTileVectors < vectors;
            out[(unsigned long long)tile * size + at] = inside ? ring[stage * size + at] : uint4{0, 0, 0, 0};
        }
        __syncthreads(); // all have read the stage
        if (threadIdx.x == 0)
            load(tile + stages * gridDim.x, stage);
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
}

#endif
