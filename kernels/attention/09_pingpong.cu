// SPDX-License-Identifier: GPL-3.0-or-later
//
// Attention, rung 9: one group's softmax under the other's products.
//
// Needs     sm_90a
// Changed   the two groups take turns at the tensor cores, by named barriers: a turn is the product of the last tile's weights
//           with V and the scores of the next tile. (Rung 8: both groups multiply when they happen to, and may both wait for
//           exponentials at once.)
// Resource  the tensor cores: they have work while a group compares, subtracts and takes exponentials.
// Expect    more the longer the sequence: the second group begins a turn later and ends a turn later. Published, of
//           FlashAttention-3: 570 to 582 TFLOP/s without one of its techniques, 661 with all. A turn that is short against its
//           softmax leaves the tensor cores idle all the same.
// Gain      over rung 8: open until run on a GPU.
//
// Layouts, maps and `group` as in rung 8.

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)

constexpr unsigned int kQueries = 128, kKeys = 128, kThreads = 384; // three groups of four warps
constexpr unsigned int kSlab = 128 * 128; // bytes: 128 rows of 64 numbers
constexpr int kStages = 2;
constexpr float kNothing = -1e30f; // below every score, and finite: the difference of two of them is 0, not NaN

struct TensorMap { // CUtensorMap: opaque
    alignas(64) unsigned char bytes[128];
};

static __device__ float exp2Fast(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static __device__ unsigned int pack(float first, float second)
{
    unsigned int both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
    return both;
}

// ---- barriers and copies ----

static __device__ unsigned int sharedAddress(const void* at) { return (unsigned int)__cvta_generic_to_shared(at); }

static __device__ void waitFor(const unsigned long long* barrier, unsigned int parity)
{
    asm volatile("{ .reg .pred done;\n"
                 "WAIT: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra WAIT; }" ::"r"(sharedAddress(barrier)), "r"(parity)
                 : "memory");
}

static __device__ void arrive(const unsigned long long* barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sharedAddress(barrier)) : "memory");
}

/// 128 rows of D numbers, D / 64 slabs.
template <int D>
__device__ void bring(unsigned int tile, const TensorMap* map, unsigned int row, const unsigned long long* barrier)
{
    unsigned int full = sharedAddress(barrier);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full), "r"(D / 64 * kSlab) : "memory");
#pragma unroll
    for (int slab = 0; slab < D / 64; ++slab)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
                     "[%1, {%2, %3}], [%4];" ::"r"(tile + slab * kSlab),
                     "l"(map), "r"(64 * slab), "r"(row), "r"(full)
                     : "memory");
}

// ---- products ----

/// Where wgmma finds a factor with a swizzle of 128 bytes: eight rows lie 1024 bytes further, slabs kSlab.
static __device__ unsigned long long descriptor(unsigned int address)
{
    return (unsigned long long)(address >> 4 & 0x3fff) | (unsigned long long)(kSlab >> 4) << 16 | 64ull << 32 | 1ull << 62;
}

#define EIGHT(d, i)                                                                                                    \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]),         \
        "+f"(d[i + 7])
#define THIRTY_TWO(d, i) EIGHT(d, i), EIGHT(d, i + 8), EIGHT(d, i + 16), EIGHT(d, i + 24)
#define NAMES_32                                                                                                       \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "   \
    "%24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_64                                                                                                       \
    NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, "  \
             "%52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"

/// 64 queries x 128 keys over 16 numbers of a row, both from shared memory; `adds`: 0 for the first.
static __device__ void scoreStep(float (&d)[64], unsigned long long q, unsigned long long k, int adds)
{
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" NAMES_64
                 "}, %64, %65, p, 1, 1, 0, 0; }"
                 : THIRTY_TWO(d, 0), THIRTY_TWO(d, 32)
                 : "l"(q), "l"(k), "r"(adds));
}

/// 64 queries x D numbers over 16 keys: weights from registers, V from shared memory, where its rows are keys.
static __device__ void valueStep(float (&d)[32], const unsigned int* p, unsigned long long v)
{
    asm volatile("{ .reg .pred p; setp.eq.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" NAMES_32
                 "}, {%32, %33, %34, %35}, %36, p, 1, 1, 1; }"
                 : THIRTY_TWO(d, 0)
                 : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(v));
}

static __device__ void valueStep(float (&d)[64], const unsigned int* p, unsigned long long v)
{
    asm volatile("{ .reg .pred p; setp.eq.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" NAMES_64
                 "}, {%64, %65, %66, %67}, %68, p, 1, 1, 1; }"
                 : THIRTY_TWO(d, 0), THIRTY_TWO(d, 32)
                 : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(v));
}

static __device__ void beginProducts() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

static __device__ void commitProducts() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

/// Until all products are done.
static __device__ void endProducts() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }

/// The compiler may use none of these registers before, whose products have ended.
template <int N>
__device__ void settled(float (&d)[N])
{
#pragma unroll
    for (int i = 0; i < N; ++i)
        asm volatile("" : "+f"(d[i])::"memory");
}

// ---- turns ----

/// Until the other group has handed on the tensor cores.
static __device__ void takeTurn(unsigned int group) { asm volatile("bar.sync %0, 256;" ::"r"(1 + group) : "memory"); }

static __device__ void handOn(unsigned int group) { asm volatile("bar.arrive %0, 256;" ::"r"(2 - group) : "memory"); }

// ---- the two roles ----

struct Barriers {
    unsigned long long queries, fullK[kStages], fullV[kStages], emptyK[kStages], emptyV[kStages];
};

template <int D>
__device__ void fetch(const TensorMap* q, const TensorMap* k, const TensorMap* v, const Barriers& barriers,
                      unsigned int shared, unsigned int queryRow, unsigned int keyRow, unsigned int tiles)
{
    constexpr unsigned int kTile = D / 64 * kSlab;
    bring<D>(shared, q, queryRow, &barriers.queries);
    for (unsigned int tile = 0; tile < tiles; ++tile) {
        unsigned int stage = tile % kStages, parity = tile / kStages % 2 ^ 1; // of a ring that is empty at first
        unsigned int keys = shared + kTile + stage * 2 * kTile;
        waitFor(&barriers.emptyK[stage], parity);
        bring<D>(keys, k, keyRow + tile * kKeys, &barriers.fullK[stage]);
        waitFor(&barriers.emptyV[stage], parity);
        bring<D>(keys + kTile, v, keyRow + tile * kKeys, &barriers.fullV[stage]);
    }
}

/// Weights of 64 queries and 128 keys in place of scores: lane (g, c) has rows g and g + 8 of its warp, and of 8 columns the
/// ones 2c and 2c + 1. Shrinks what was summed with a smaller maximum.
template <int D>
__device__ void softmax(float (&score)[64], float (&sum)[D / 2], float (&most)[2], float (&below)[2], unsigned int base,
                        unsigned int row, unsigned int whole, unsigned int n, unsigned int reach, float scaleLog2)
{
    unsigned int c = threadIdx.x % 4;
    if (base + kKeys > whole)
#pragma unroll
        for (int x = 0; x < 64; ++x)
            if (base + x / 4 * 8 + 2 * c + x % 2 >= min(n, row + x / 2 % 2 * 8 + reach))
                score[x] = __int_as_float(0xff800000);
#pragma unroll
    for (int h = 0; h < 2; ++h) { // the two rows of this lane; four lanes share each
        float top = most[h];
#pragma unroll
        for (int x = 2 * h; x < 64; x += 4)
            top = fmaxf(top, fmaxf(score[x], score[x + 1]));
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 1));
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 2));
        float shrink = exp2Fast((most[h] - top) * scaleLog2), off = -top * scaleLog2;
        most[h] = top;
        below[h] *= shrink;
#pragma unroll
        for (int x = 2 * h; x < 64; x += 4) {
            score[x] = exp2Fast(fmaf(score[x], scaleLog2, off)); // of what is masked 0
            score[x + 1] = exp2Fast(fmaf(score[x + 1], scaleLog2, off));
            below[h] += score[x];
            below[h] += score[x + 1];
        }
#pragma unroll
        for (int x = 2 * h; x < D / 2; x += 4) {
            sum[x] *= shrink;
            sum[x + 1] *= shrink;
        }
    }
}

template <int D>
__device__ void store(float* out, const float (&sum)[D / 2], const float (&below)[2], unsigned int row, unsigned int n)
{
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        float all = below[h] + __shfl_xor_sync(0xffffffffu, below[h], 1);
        all += __shfl_xor_sync(0xffffffffu, all, 2);
        float share = all == 0 ? 0 : 1 / all; // a query that sees nothing gets zeros
        if (row + 8 * h < n)
#pragma unroll
            for (int j = 0; j < D / 8; ++j)
                *(float2*)(out + (unsigned long long)(row + 8 * h) * D + 8 * j + threadIdx.x % 4 * 2) =
                    make_float2(sum[4 * j + 2 * h] * share, sum[4 * j + 2 * h + 1] * share);
    }
}

template <int D>
__device__ void attend(const Barriers& barriers, unsigned int shared, float* out, unsigned int first, unsigned int tiles,
                       unsigned int n, unsigned int reach, float scaleLog2)
{
    constexpr unsigned int kTile = D / 64 * kSlab;
    unsigned int group = threadIdx.x / 128, row = first + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    unsigned int whole = min(n, first + 64 * group + reach); // keys that all queries of the group see
    unsigned int queries = shared + group * 64 * 128;        // in each slab
    float most[2] = {kNothing, kNothing}, below[2] = {}, sum[D / 2] = {}, score[64];
    unsigned int weights[32];
    auto tileOf = [&](unsigned int tile) { return shared + kTile + tile % kStages * 2 * kTile; };
    auto multiplyKeys = [&](unsigned int tile) {
#pragma unroll
        for (int s = 0; s < D / 16; ++s)
            scoreStep(score, descriptor(queries + s / 4 * kSlab + s % 4 * 32),
                      descriptor(tileOf(tile) + s / 4 * kSlab + s % 4 * 32), s);
    };
    auto multiplyValues = [&](unsigned int tile) {
#pragma unroll
        for (int s = 0; s < (int)kKeys / 16; ++s)
            valueStep(sum, weights + 4 * s, descriptor(tileOf(tile) + kTile + s * 16 * 128));
    };
    auto free = [&](const unsigned long long* stages, unsigned int tile) {
        if (threadIdx.x % 32 == 0)
            arrive(&stages[tile % kStages]);
    };
    auto weigh = [&](unsigned int tile) {
        softmax<D>(score, sum, most, below, tile * kKeys, row, whole, n, reach, scaleLog2);
#pragma unroll
        for (int x = 0; x < 32; ++x)
            weights[x] = pack(score[2 * x], score[2 * x + 1]);
    };

    waitFor(&barriers.queries, 0);
    if (tiles > 0) {
        if (group == 1)
            handOn(group); // the first turn is the other's
        waitFor(&barriers.fullK[0], 0);
        takeTurn(group);
        beginProducts();
        multiplyKeys(0);
        commitProducts();
        handOn(group);
        endProducts();
        settled(score);
        free(barriers.emptyK, 0);
        weigh(0);
        for (unsigned int tile = 1; tile < tiles; ++tile) {
            waitFor(&barriers.fullV[(tile - 1) % kStages], (tile - 1) / kStages % 2);
            waitFor(&barriers.fullK[tile % kStages], tile / kStages % 2);
            takeTurn(group);
            beginProducts();
            multiplyValues(tile - 1);
            multiplyKeys(tile);
            commitProducts();
            handOn(group);
            endProducts();
            settled(score);
            settled(sum);
            free(barriers.emptyV, tile - 1);
            free(barriers.emptyK, tile);
            weigh(tile);
        }
        waitFor(&barriers.fullV[(tiles - 1) % kStages], (tiles - 1) / kStages % 2);
        takeTurn(group);
        beginProducts();
        multiplyValues(tiles - 1);
        commitProducts();
        if (group == 0) // nobody follows the last turn
            handOn(group);
        endProducts();
        settled(sum);
    }
    store<D>(out, sum, below, row, n);
}

template <int D>
__device__ void pingpong(const TensorMap* q, const TensorMap* k, const TensorMap* v, float* out, unsigned int n,
                       unsigned int reach, float scaleLog2, unsigned int group)
{
    extern __shared__ __align__(1024) unsigned char tiles[]; // Q, then stages of K and V
    __shared__ Barriers barriers;
    unsigned int first = kQueries * blockIdx.x, end = min(n, min(n, first + kQueries) - 1 + reach);
    unsigned int count = (end + kKeys - 1) / kKeys;
    if (threadIdx.x == 0) {
        unsigned int at = sharedAddress(&barriers);
        for (unsigned int i = 0; i < sizeof(Barriers) / 8; ++i) // one arrival fills, those of eight warps empty
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at + 8 * i), "r"(i < 1 + 2 * kStages ? 1 : 8)
                         : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x >= 256) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;"); // what one lane needs
        if (threadIdx.x == 256)
            fetch<D>(q, k, v, barriers, sharedAddress(tiles), blockIdx.y * n + first, blockIdx.y / group * n, count);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        attend<D>(barriers, sharedAddress(tiles), out + (unsigned long long)blockIdx.y * n * D, first, count, n, reach,
                  scaleLog2);
    }
}

#define RIDGE_ATTENTION(D)                                                                                             \
    extern "C" __global__ void __launch_bounds__(kThreads, 1)                                                          \
        attention_pingpong_fp16_##D(const __grid_constant__ TensorMap q, const __grid_constant__ TensorMap k,            \
                                  const __grid_constant__ TensorMap v, float* out, unsigned int n, unsigned int reach, \
                                  float scale_log2, unsigned int group)                                                \
    {                                                                                                                  \
        pingpong<D>(&q, &k, &v, out, n, reach, scale_log2, group);                                                       \
    }

RIDGE_ATTENTION(64)
RIDGE_ATTENTION(128)

#endif
