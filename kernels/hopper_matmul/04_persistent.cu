// SPDX-License-Identifier: GPL-3.0-or-later
//
// Hopper matrix product, rung 4: a block an SM, tile after tile.
//
// Needs     sm_90a
// Changed   a block stays and takes every gridDim-th tile; its copies for the next tile run while the sums of this one
//           are stored. Tiles come in bands of eight rows. (Rung 3: a block a tile, row by row.)
// Resource  time at the ends of blocks, in which the tensor cores waited for the first copies; traffic to L2.
// Expect    a gain where there are more tiles than SMs, none below that.
// Gain      over rung 3: open until run on a GPU.

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)

constexpr unsigned int kRows = 128, kColumns = 256, kDepth = 64; // of a tile
constexpr unsigned int kBytesA = kRows * kDepth * 2, kBytesB = kColumns * kDepth * 2, kBytes = kBytesA + kBytesB;
constexpr unsigned int kStages = 4, kConsumers = 2; // consumers are warpgroups of 64 rows each
constexpr unsigned int kBand = 8;                   // rows of tiles

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

static __device__ void arrive(unsigned int barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/// Where wgmma finds a tile with rows of 128 bytes: address, 1024 bytes from eight rows to the next eight, both over
/// 16, and the swizzle of 128 bytes, which the tensor map has as well. The next 16 of k are 32 bytes further.
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

// PRODUCT: d += A B^T for 64 rows of A, 256 of B and 16 of k. `type` is that of A and B; both lie k first.
#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
#define PRODUCT(type)                                                                                                  \
    static __device__ void step(float* d, unsigned long long a, unsigned long long b)                                  \
    {                                                                                                                  \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"                                                          \
                     "wgmma.mma_async.sync.aligned.m64n256k16.f32." type "." type " {"                                 \
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "           \
                     "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "           \
                     "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "           \
                     "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "           \
                     "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, "           \
                     "%87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, "             \
                     "%103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, "            \
                     "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"                                \
                     "}, %128, %129, p, 1, 1, 0, 0; }"                                                                 \
                     : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48), SIXTEEN(64), SIXTEEN(80), SIXTEEN(96),       \
                       SIXTEEN(112)                                                                                    \
                     : "l"(a), "l"(b));                                                                                \
    }

#define ROUND(type)                                                                                                    \
    static __device__ unsigned int round(float first, float second)                                                    \
    {                                                                                                                  \
        unsigned int both;                                                                                             \
        asm("cvt.rn." type ".f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));                                 \
        return both;                                                                                                   \
    }

struct Fp16 {
    PRODUCT("f16")
    ROUND("f16x2")
};
struct Bf16 {
    PRODUCT("bf16")
    ROUND("bf16x2")
};

/// The sums of a warp, 16 rows x 256 columns, from the element (row, column) on. A lane has two neighbours in a row.
template<class Op>
__device__ void store(unsigned short* c, unsigned int pitch, unsigned int m, unsigned int n, unsigned int row,
                      unsigned int column, const float* d)
{
    row += threadIdx.x % 32 / 4;
    column += threadIdx.x % 4 * 2;
#pragma unroll
    for (unsigned int half = 0; half < 2; ++half) {
        unsigned short* to = c + (unsigned long long)(row + 8 * half) * pitch + column;
#pragma unroll
        for (unsigned int j = 0; j < 32; ++j) {
            unsigned int both = Op::round(d[4 * j + 2 * half], d[4 * j + 2 * half + 1]), at = column + 8 * j;
            if (row + 8 * half < m && at + 1 < n)
                *(unsigned int*)(to + 8 * j) = both;
            else if (row + 8 * half < m && at < n)
                to[8 * j] = (unsigned short)both;
        }
    }
}

/// Rows and columns of tiles in bands of eight rows, down each column of a band: what 132 SMs work on at a time is
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

template<class Op>
__device__ void multiply(const TensorMap* a, const TensorMap* b, unsigned short* c, unsigned int m, unsigned int n,
                         unsigned int k, unsigned int pitch)
{
    extern __shared__ __align__(1024) unsigned char ring[]; // stages of A and B, then a barrier of each kind for each
    unsigned int tiles = sharedAddress(ring), full = tiles + kStages * kBytes, empty = full + 8 * kStages;
    unsigned int steps = (k + kDepth - 1) / kDepth;
    Order order{(m + kRows - 1) / kRows, (n + kColumns - 1) / kColumns};
    unsigned int count = order.down * order.across, row, column;
    Place place; // goes on from tile to tile
    if (threadIdx.x == 0) {
        for (unsigned int s = 0; s < kStages; ++s) {
            initialise(full + 8 * s, 1);
            initialise(empty + 8 * s, 4 * kConsumers); // a lane of each warp
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (unsigned int tile = blockIdx.x; tile < count && threadIdx.x == 0; tile += gridDim.x) {
            order.place(tile, row, column);
            for (unsigned int step = 0; step < steps; ++step, place.advance()) {
                unsigned int to = tiles + place.stage * kBytes, barrier = full + 8 * place.stage;
                waitFor(empty + 8 * place.stage, place.parity ^ 1); // the first time round nothing is in use
                expectBytes(barrier, kBytes);
                load(to, a, step * kDepth, row * kRows, barrier);
                load(to + kBytesA, b, step * kDepth, column * kColumns, barrier);
            }
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    unsigned int group = threadIdx.x / 128 - 1, before = 0;
    for (unsigned int tile = blockIdx.x; tile < count; tile += gridDim.x) {
        order.place(tile, row, column);
        float d[128] = {};
        for (unsigned int step = 0; step < steps; ++step, place.advance()) {
            unsigned int ofA = tiles + place.stage * kBytes + group * kBytesA / 2;
            unsigned int ofB = tiles + place.stage * kBytes + kBytesA;
            waitFor(full + 8 * place.stage, place.parity);
            beginProducts();
#pragma unroll
            for (unsigned int part = 0; part < kDepth / 16; ++part)
                Op::step(d, descriptor(ofA + 32 * part), descriptor(ofB + 32 * part));
            endProducts();
            awaitProducts<1>(); // those of the stage before, which is free then
            if (step > 0 && threadIdx.x % 32 == 0)
                arrive(empty + 8 * before);
            before = place.stage;
        }
        awaitProducts<0>();
        if (threadIdx.x % 32 == 0)
            arrive(empty + 8 * before);
        store<Op>(c, pitch, m, n, row * kRows + 64 * group + threadIdx.x % 128 / 32 * 16, column * kColumns, d);
    }
}

#define KERNEL(type, Op)                                                                                               \
    extern "C" __global__ void __launch_bounds__(384, 1)                                                               \
        persistent_##type(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, unsigned short* c, \
                          unsigned int m, unsigned int n, unsigned int k, unsigned int pitch)                          \
    {                                                                                                                  \
        multiply<Op>(&a, &b, c, m, n, k, pitch);                                                                       \
    }

KERNEL(fp16, Fp16)
KERNEL(bf16, Bf16)

#endif
