// SPDX-License-Identifier: GPL-3.0-or-later
//
// Hopper matrix product, rung 7: factors of eight bits, summed in two levels.
//
// Needs     sm_90a
// Changed   A and B are e4m3, 128 of k a step. The tensor cores keep 13 fraction bits of the largest of what they add, so
//           that a long sum loses what is small beside it. Kernels `two_level_*` begin a new sum for each step and add it
//           to the sum so far in FP32, on the CUDA cores; `tensor_*` leave the whole sum to the tensor cores, to compare.
//           Both sums of 64 x 256 elements do not fit into registers: tiles have 128 columns. (Rung 6: 16 bits, 256.)
//           Factors may be divided by scales before they are rounded. `*_one_scale_*` multiplies the finished sum by the
//           scale of A and that of B. `two_level_block_scales_*` has a scale for each 128 of k of a row of A, and for
//           each 128 x 128 of B: the addition of a step's sum becomes a multiply-add. The tensor cores cannot change the
//           scale in the middle of a sum, so that a long sum on them alone has one scale at most.
// Resource  the tensor cores, which take eight bits twice as fast, and bytes, of which there are half as many.
// Expect    less than twice as fast: narrower tiles read more, and 64 additions a lane and step stand between products.
//           Block scales add three loads a lane and step, which no ring brings ahead, and no instruction for each sum.
// Gain      over rung 6: open until run on a GPU.

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)

constexpr unsigned int kRows = 128, kColumns = 128, kDepth = 128; // of a tile
constexpr unsigned int kBytesA = kRows * kDepth, kBytesB = kColumns * kDepth, kBytes = kBytesA + kBytesB;
constexpr unsigned int kStages = 4, kConsumers = 2; // consumers are warpgroups of 64 rows each
constexpr unsigned int kBand = 4, kCluster = 2;     // rows of pairs of tiles; blocks
constexpr unsigned int kBytesC = kRows * kColumns * 2;

/// Where a walk round the ring is: the stage, and the parity of the phase that its barriers are in.
struct Place {
    unsigned int stage = 0, parity = 0;
    __device__ void advance()
    {
        if (++stage == kStages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

struct TensorMap { // CUtensorMap: opaque
    alignas(64) unsigned char bytes[128];
};

static __device__ unsigned int sharedAddress(const void* at)
{
    return (unsigned int)__cvta_generic_to_shared(at);
}

static __device__ void waitFor(unsigned int barrier, unsigned int parity)
{
    asm volatile("{ .reg .pred done;\n"
                 "WAIT: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra WAIT; }" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

static __device__ void initialise(unsigned int barrier, unsigned int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

static __device__ void expectBytes(unsigned int barrier, unsigned int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

/// A box of a matrix: `k` is the first column of it, `row` the first row. What lies outside is filled with zeros.
static __device__ void load(unsigned int to, const TensorMap* map, unsigned int k, unsigned int row,
                            unsigned int barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
                 "[%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(k), "r"(row), "r"(barrier)
                 : "memory");
}

/// The same for the blocks of the cluster that `blocks` has a bit for: each finds the box at the same place of its
/// shared memory, and its own barrier counts the bytes.
static __device__ void spread(unsigned int to, const TensorMap* map, unsigned int k, unsigned int row,
                              unsigned int barrier, unsigned short blocks)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
                 "l"(map), "r"(k), "r"(row), "r"(barrier), "h"(blocks)
                 : "memory");
}

/// At the barrier that block `rank` of the cluster has at the same place.
static __device__ void arriveAt(unsigned int barrier, unsigned int rank)
{
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }" ::"r"(barrier),
                 "r"(rank)
                 : "memory");
}

/// A stage has been read by this warp: a lane tells each block of the cluster.
static __device__ void release(unsigned int barrier)
{
    if (threadIdx.x % 32 < kCluster)
        arriveAt(barrier, threadIdx.x % 32);
}

static __device__ void meetCluster()
{
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

/// Where wgmma finds a tile with rows of 128 bytes: address, 1024 bytes from eight rows to the next eight, both over
/// 16, and the swizzle of 128 bytes, which the tensor map has as well. The next 32 of k are 32 bytes further.
static __device__ unsigned long long descriptor(unsigned int address)
{
    return (unsigned long long)(address >> 4 & 0x3fff) | 1ull << 16 | (unsigned long long)(1024 / 16) << 32 |
           1ull << 62;
}

static __device__ void beginProducts()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
static __device__ void endProducts()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template<int Left>
__device__ void awaitProducts()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
}

#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
/// d = A B^T, or with `more` d += A B^T, for 64 rows of A, 128 of B and 32 of k; both lie k first.
static __device__ void multiplyPart(float* d, unsigned long long a, unsigned long long b, int more)
{
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "
                 "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, "
                 "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
                 "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
                 "}, %64, %65, p, 1, 1; }"
                 : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)
                 : "l"(a), "l"(b), "r"(more));
}

#define ROUND(type)                                                                                                    \
    static __device__ unsigned int round(float first, float second)                                                    \
    {                                                                                                                  \
        unsigned int both;                                                                                             \
        asm("cvt.rn." type ".f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));                                 \
        return both;                                                                                                   \
    }

struct Fp16 {
    ROUND("f16x2")
};
struct Bf16 {
    ROUND("bf16x2")
};

/// A box of 64 x 64 elements of C. What lies outside the matrix is left out.
static __device__ void storeBox(const TensorMap* map, unsigned int column, unsigned int row, unsigned int from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(column),
                 "r"(row), "r"(from)
                 : "memory");
}

/// Puts the sums of a warp where storeBox() takes them: boxes of 64 rows x 128 bytes, swizzled. `row` is that of the
/// box.
template<class Op>
__device__ void stage(unsigned int to, unsigned int row, const float* d)
{
    unsigned int lane = threadIdx.x % 32, g = lane / 4;
#pragma unroll
    for (unsigned int j = 0; j < 16; ++j) { // eight rows of a warp lie in eight times four banks, whatever j
        unsigned int at = to + j / 8 * 8192 + (row + g) * 128 + ((j % 8 ^ g) * 16 + lane % 4 * 4);
        asm volatile("st.shared.b32 [%0], %1;" ::"r"(at), "r"(Op::round(d[4 * j], d[4 * j + 1])) : "memory");
        asm volatile("st.shared.b32 [%0], %1;" ::"r"(at + 1024), "r"(Op::round(d[4 * j + 2], d[4 * j + 3])) : "memory");
    }
}

/// Waits for the four warps of a consumer.
static __device__ void meetGroup(unsigned int group)
{
    asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
}

/// Rows and columns of tiles in bands of four rows, down each column of a band: what 132 SMs work on at a time is
/// nearly square, so that they share most of what they read.
struct Order {
    unsigned int down, across;
    __device__ void place(unsigned int tile, unsigned int& row, unsigned int& column) const
    {
        unsigned int band = tile / (kBand * across), first = band * kBand, inside = tile - first * across;
        unsigned int high = min(kBand, down - first);
        row = first + inside % high;
        column = inside / high;
    }
};

/// What factors were divided by before they were rounded: nothing, one number for each matrix, or one for each block.
enum class Scaled { Not, Once, InBlocks };

/// The scales of A and B. Those of blocks lie step after step: of A one for each row, rows padded to eight; of B one
/// for each tile of columns of C.
struct Scales {
    const float *a, *b;

    /// No scale is there for a row beyond the matrix.
    __device__ float ofRow(unsigned int step, unsigned int row, unsigned int m) const
    {
        unsigned long long pitch = (m + 7) / 8 * 8;
        return row < m ? a[step * pitch + row] : 0.0f;
    }
    __device__ float ofTile(unsigned int step, unsigned int column, unsigned int across) const
    {
        return b[(unsigned long long)step * across + column];
    }
};

template<class Op, bool TwoLevel, Scaled How>
__device__ void multiply(const TensorMap* a, const TensorMap* b, const TensorMap* c, Scales scales, unsigned int m,
                         unsigned int n, unsigned int k)
{
    static_assert(How != Scaled::InBlocks || TwoLevel, "a sum on the tensor cores keeps the scale it began with");

    extern __shared__ __align__(
        1024) unsigned char ring[]; // stages of A and B, C, then a barrier of each kind for each stage
    unsigned int tiles = sharedAddress(ring), full = tiles + kStages * kBytes + kBytesC, empty = full + 8 * kStages;
    unsigned int steps = (k + kDepth - 1) / kDepth, rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    // A pair of blocks takes two tiles, one above the other.
    Order order{(m + kCluster * kRows - 1) / (kCluster * kRows), (n + kColumns - 1) / kColumns};
    unsigned int count = order.down * order.across, row, column;
    Place place; // goes on from tile to tile
    if (threadIdx.x == 0) {
        for (unsigned int s = 0; s < kStages; ++s) {
            initialise(full + 8 * s, 1);
            initialise(empty + 8 * s, 4 * kConsumers * kCluster); // a lane of each warp of both blocks
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    meetCluster(); // the other block's barriers are there
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        unsigned int first = threadIdx.x == 0 ? blockIdx.x / kCluster : count;
        for (unsigned int tile = first; tile < count; tile += gridDim.x / kCluster) {
            order.place(tile, row, column);
            for (unsigned int step = 0; step < steps; ++step, place.advance()) {
                unsigned int to = tiles + place.stage * kBytes, barrier = full + 8 * place.stage;
                waitFor(empty + 8 * place.stage, place.parity ^ 1); // free in both blocks
                expectBytes(barrier, kBytes);
                load(to, a, step * kDepth, (row * kCluster + rank) * kRows, barrier);
                spread(to + kBytesA + rank * (kBytesB / kCluster), b, step * kDepth,
                       column * kColumns + rank * (kColumns / kCluster), barrier, (1 << kCluster) - 1);
            }
        }
        __syncwarp();
        meetCluster(); // shared memory must outlive what the other block sends
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    unsigned int group = threadIdx.x / 128 - 1, before = 0;
    unsigned int sums = tiles + kStages * kBytes + group * (kBytesC / kConsumers);
    bool stores = threadIdx.x % 128 == 0;
    float once = How == Scaled::Once ? *scales.a * *scales.b : 1.0f; // not where it is used, which would wait for it
    for (unsigned int tile = blockIdx.x / kCluster; tile < count; tile += gridDim.x / kCluster) {
        order.place(tile, row, column);
        float d[64] = {}, part[64] = {}; // the sum, and that of one step
        // A lane has sums of two rows: this one, and the eighth after it.
        unsigned int upper = (row * kCluster + rank) * kRows + 64 * group + threadIdx.x % 128 / 32 * 16 +
                             threadIdx.x % 32 / 4;
        for (unsigned int step = 0; step < steps; ++step, place.advance()) {
            unsigned int ofA = tiles + place.stage * kBytes + group * kBytesA / 2;
            unsigned int ofB = tiles + place.stage * kBytes + kBytesA;
            float byUpper = 1, byLower = 1, byB = 1;
            if (How == Scaled::InBlocks) { // they come while tiles are awaited and multiplied
                byUpper = scales.ofRow(step, upper, m);
                byLower = scales.ofRow(step, upper + 8, m);
                byB = scales.ofTile(step, column, order.across);
            }
            waitFor(full + 8 * place.stage, place.parity);
            beginProducts();
#pragma unroll
            for (unsigned int at = 0; at < kDepth; at += 32)
                multiplyPart(TwoLevel ? part : d, descriptor(ofA + at), descriptor(ofB + at), TwoLevel ? at > 0 : 1);
            endProducts();
            if (How == Scaled::InBlocks) {
                awaitProducts<0>();
                release(empty + 8 * place.stage);
                byUpper *= byB;
                byLower *= byB;
#pragma unroll
                for (unsigned int i = 0; i < 64; ++i)
                    d[i] = fmaf(part[i], i % 4 < 2 ? byUpper : byLower, d[i]);
            } else if (TwoLevel) {
                awaitProducts<0>();
                release(empty + 8 * place.stage);
#pragma unroll
                for (unsigned int i = 0; i < 64; ++i)
                    d[i] += part[i];
            } else {
                awaitProducts<1>(); // those of the stage before, which is free then
                if (step > 0)
                    release(empty + 8 * before);
                before = place.stage;
            }
        }
        if (!TwoLevel) {
            awaitProducts<0>();
            release(empty + 8 * before);
        }
        if (How == Scaled::Once) {
#pragma unroll
            for (unsigned int i = 0; i < 64; ++i)
                d[i] *= once;
        }
        if (stores) // the sums of the tile before have been read
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        meetGroup(group);
        stage<Op>(sums, threadIdx.x % 128 / 32 * 16, d);
        asm volatile("fence.proxy.async.shared::cta;" ::
                         : "memory"); // the engine reads by another way than threads write
        meetGroup(group);
        if (stores) {
            for (unsigned int box = 0; box < kColumns / 64; ++box)
                storeBox(c, column * kColumns + 64 * box, (row * kCluster + rank) * kRows + 64 * group,
                         sums + 8192 * box);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    if (stores) // shared memory must outlive the stores
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    meetCluster();
}

#define KERNEL(name, type, Op, TwoLevel, How)                                                                          \
    extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1)                                     \
        name##_##type(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b,                        \
                      const __grid_constant__ TensorMap c, const float* scalesOfA, const float* scalesOfB,             \
                      unsigned int m, unsigned int n, unsigned int k)                                                  \
    {                                                                                                                  \
        multiply<Op, TwoLevel, Scaled::How>(&a, &b, &c, {scalesOfA, scalesOfB}, m, n, k);                              \
    }
#define KERNELS(name, TwoLevel, How) KERNEL(name, fp16, Fp16, TwoLevel, How) KERNEL(name, bf16, Bf16, TwoLevel, How)

KERNELS(two_level, true, Not)
KERNELS(two_level_one_scale, true, Once)
KERNELS(two_level_block_scales, true, InBlocks)
KERNELS(tensor, false, Not)
KERNELS(tensor_one_scale, false, Once)

#endif
