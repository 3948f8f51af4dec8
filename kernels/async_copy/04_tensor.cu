// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asynchronous copies, rung 4: two-dimensional tiles by the tensor memory accelerator (TMA), in and out.
//
// Needs     sm_90
// Changed   a tensor map, made by the host, tells the copy engine shape and strides of the matrix: one instruction brings a
//           tile, with zeros outside the matrix, and one takes it away. (Rung 3: a copy a row; threads stored.)
// Resource  instruction issue and registers: no thread touches a byte, and one is enough.
// Expect    instructions a tile no longer depend on its size; time as rung 3 where that reached the memory's rate.
// Gain      over rung 3: open until run on a GPU.
//
// A stage may be filled again when its store has read it. The thread waits for the store before last, not the last: with
// two or more stages, one store and stages - 1 loads are under way at once.

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

constexpr unsigned int kTileColumns = 256; // 4-byte elements in a row of a tile
constexpr unsigned int kMostStages = 8;

struct TensorMap { // CUtensorMap: opaque
    alignas(64) unsigned char bytes[128];
};

static __device__ unsigned int sharedAddress(const void* at) { return (unsigned int)__cvta_generic_to_shared(at); }

static __device__ void waitFor(unsigned int barrier, unsigned int parity)
{
    asm volatile("{ .reg .pred done;\n"
                 "WAIT: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra WAIT; }" ::"r"(barrier), "r"(parity)
                 : "memory");
}

extern "C" __global__ void __launch_bounds__(32)
    pack_tensor(const __grid_constant__ TensorMap map, unsigned char* out, unsigned int rows, unsigned int columns,
                unsigned int tile_rows, unsigned int stages)
{
    extern __shared__ __align__(128) unsigned char ring[];
    __shared__ unsigned long long full[kMostStages];
    if (threadIdx.x != 0)
        return;
    unsigned int across = (columns + kTileColumns - 1) / kTileColumns;
    unsigned int tiles = (rows + tile_rows - 1) / tile_rows * across;
    unsigned int bytes = tile_rows * kTileColumns * 4;

    for (unsigned int s = 0; s < stages; ++s)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sharedAddress(&full[s])) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");

    auto load = [&](unsigned int tile, unsigned int stage) {
        if (tile >= tiles)
            return;
        unsigned int barrier = sharedAddress(&full[stage]);
        int x = tile % across * kTileColumns, y = tile / across * tile_rows;
        // What lies outside the matrix counts as well: the engine writes zeros there.
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
                     "[%1, {%2, %3}], [%4];" ::"r"(sharedAddress(ring + stage * bytes)),
                     "l"(&map), "r"(x), "r"(y), "r"(barrier)
                     : "memory");
    };

    for (unsigned int s = 0; s < stages; ++s)
        load(blockIdx.x + s * gridDim.x, s);
    unsigned int stage = 0, parity = 0, last = stages - 1;
    for (unsigned int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        waitFor(sharedAddress(&full[stage]), parity);
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                         out + (unsigned long long)tile * bytes),
                     "r"(sharedAddress(ring + stage * bytes)), "r"(bytes)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        if (stages == 1) {
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            load(tile + gridDim.x, 0);
        } else if (tile != blockIdx.x) { // the stage of the tile before
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            load(tile + (stages - 1) * gridDim.x, last);
        }
        last = stage;
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); // shared memory must outlive the stores
}

#endif
