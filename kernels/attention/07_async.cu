// SPDX-License-Identifier: GPL-3.0-or-later
//
// Attention, rung 7: the next tile comes while this one is multiplied.
//
// Needs     sm_80
// Changed   cp.async brings tiles into a ring of two stages; rows lie swizzled instead of padded, and ldmatrix brings four
//           8 x 8 blocks at once of Q, of K and of V. Only tiles that somebody does not see whole are masked. (Rung 6: a block
//           waits for each tile, by way of registers; two loads for each pair of blocks of K.)
// Resource  waiting: device memory and L2 answer under the products. Registers and issue slots: no lane carries a tile.
// Expect    a block no longer stops at each tile, and the shared memory has no conflicts. Two stages take 32 KiB at d = 64 and
//           64 KiB at d = 128, so that fewer blocks share an SM.
// Gain      over rung 6: open until run on a GPU.
//
// Layouts as in rung 1, fp16 alone; `group` query heads in turn share a head of K and V (1: each has its own). A row has
// D / 8 chunks of 16 bytes; chunk c of row r lies at c ^ r % 8, so that the same chunk of eight rows is in eight places.

constexpr int kQueries = 64, kKeys = 64, kThreads = 128; // of a block of four warps, of a tile
constexpr float kNothing = -1e30f; // below every score, and finite: the difference of two of them is 0, not NaN

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

static __device__ void multiply(float* d, const unsigned int* a, unsigned int b0, unsigned int b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Four 8 x 8 blocks; lanes 0 to 7 name the rows of the first one, 8 to 15 of the second, and so on.
static __device__ void blocks(unsigned int (&x)[4], unsigned int at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at) : "memory");
}

static __device__ void blocksTurned(unsigned int (&x)[4], unsigned int at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at) : "memory");
}

template <int D>
__device__ unsigned int place(unsigned int row, unsigned int chunk)
{
    return row * 2 * D + (chunk ^ row % 8) * 16;
}

/// Sets out to bring 64 rows of D numbers; what lies past `there` becomes 0.
template <int D>
__device__ void bring(unsigned int tile, const unsigned short* from, unsigned int there)
{
    constexpr int kChunks = D / 8;
#pragma unroll
    for (int i = 0; i < kKeys * kChunks / kThreads; ++i) {
        unsigned int at = i * kThreads + threadIdx.x, row = at / kChunks;
        unsigned int bytes = row < there ? 16 : 0;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(tile + place<D>(row, at % kChunks)),
                     "l"(from + (bytes ? 8 * at : 0)), "r"(bytes)
                     : "memory");
    }
}

static __device__ void endGroup() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Until all but the newest group, or all of them, have come; then for all threads.
static __device__ void waitFor(bool newestToo)
{
    if (newestToo)
        asm volatile("cp.async.wait_group 0;" ::: "memory");
    else
        asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
}

/// Lane (g, c) = (lane / 4, lane % 4) has rows g and g + 8 of its warp, and of 8 columns the ones 2c and 2c + 1.
template <int D>
__device__ void asyncTiled(const unsigned short* q, const unsigned short* k, const unsigned short* v, float* out,
                           unsigned int n, unsigned int reach, float scaleLog2, unsigned int group)
{
    constexpr unsigned int kTile = kKeys * D * 2; // bytes; a stage is a tile of K and one of V
    extern __shared__ __align__(128) unsigned char ring[];
    unsigned int shared = (unsigned int)__cvta_generic_to_shared(ring);
    unsigned int first = kQueries * blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned int g = lane / 4, c = lane % 4;
    unsigned long long head = (unsigned long long)blockIdx.y * n * D;
    const unsigned short* keys = k + (unsigned long long)(blockIdx.y / group) * n * D;
    const unsigned short* values = v + (unsigned long long)(blockIdx.y / group) * n * D;
    unsigned int row = first + 16 * warp + g, end = min(n, min(n, first + kQueries) - 1 + reach);
    unsigned int whole = min(n, first + reach); // keys that all queries of the block see

    bring<D>(shared + 2 * kTile, q + head + (unsigned long long)first * D, n - first); // by way of the second stage
    endGroup();
    if (end > 0) {
        bring<D>(shared, keys, n);
        bring<D>(shared + kTile, values, n);
    }
    endGroup();
    waitFor(false);
    unsigned int left[D / 16][4];
#pragma unroll
    for (int s = 0; s < D / 16; ++s)
        blocks(left[s], shared + 2 * kTile + place<D>(16 * warp + lane % 16, 2 * s + lane / 16));
    __syncthreads();

    float most[2] = {kNothing, kNothing}, below[2] = {}, sum[D / 8][4] = {};
    unsigned int stage = shared, other = shared + 2 * kTile;
    for (unsigned int base = 0; base < end; base += kKeys) {
        unsigned int next = base + kKeys;
        if (next < end) {
            bring<D>(other, keys + (unsigned long long)next * D, n - next);
            bring<D>(other + kTile, values + (unsigned long long)next * D, n - next);
            endGroup();
        }
        waitFor(next >= end);
        float score[kKeys / 8][4] = {};
#pragma unroll
        for (int s = 0; s < D / 16; ++s)
#pragma unroll
            for (int j = 0; j < kKeys / 8; j += 2) {
                unsigned int right[4];
                blocks(right, stage + place<D>(8 * j + lane / 16 * 8 + lane % 8, 2 * s + lane / 8 % 2));
                multiply(score[j], left[s], right[0], right[1]);
                multiply(score[j + 1], left[s], right[2], right[3]);
            }
        if (next > whole)
#pragma unroll
            for (int j = 0; j < kKeys / 8; ++j)
#pragma unroll
                for (int x = 0; x < 4; ++x)
                    if (base + 8 * j + 2 * c + x % 2 >= min(n, row + x / 2 * 8 + reach))
                        score[j][x] = __int_as_float(0xff800000);
#pragma unroll
        for (int h = 0; h < 2; ++h) { // the two rows of this lane; four lanes share each
            float top = most[h];
#pragma unroll
            for (int j = 0; j < kKeys / 8; ++j)
                top = fmaxf(top, fmaxf(score[j][2 * h], score[j][2 * h + 1]));
            top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 1));
            top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 2));
            float shrink = exp2Fast((most[h] - top) * scaleLog2), off = -top * scaleLog2;
            most[h] = top;
            below[h] *= shrink;
#pragma unroll
            for (int j = 0; j < kKeys / 8; ++j)
#pragma unroll
                for (int x = 2 * h; x < 2 * h + 2; ++x) {
                    score[j][x] = exp2Fast(fmaf(score[j][x], scaleLog2, off)); // of what is masked 0
                    below[h] += score[j][x];
                }
#pragma unroll
            for (int j = 0; j < D / 8; ++j) {
                sum[j][2 * h] *= shrink;
                sum[j][2 * h + 1] *= shrink;
            }
        }
#pragma unroll
        for (int s = 0; s < kKeys / 16; ++s) {
            unsigned int weights[4] = {pack(score[2 * s][0], score[2 * s][1]), pack(score[2 * s][2], score[2 * s][3]),
                                       pack(score[2 * s + 1][0], score[2 * s + 1][1]),
                                       pack(score[2 * s + 1][2], score[2 * s + 1][3])};
#pragma unroll
            for (int j = 0; j < D / 8; j += 2) {
                unsigned int right[4];
                blocksTurned(right, stage + kTile + place<D>(16 * s + lane % 16, j + lane / 16));
                multiply(sum[j], weights, right[0], right[1]);
                multiply(sum[j + 1], weights, right[2], right[3]);
            }
        }
        __syncthreads(); // the stage is used up
        unsigned int used = stage;
        stage = other;
        other = used;
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory"); // of a block whose queries see nothing
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        float all = below[h] + __shfl_xor_sync(0xffffffffu, below[h], 1);
        all += __shfl_xor_sync(0xffffffffu, all, 2);
        float share = all == 0 ? 0 : 1 / all; // a query that sees nothing gets zeros
#pragma unroll
        for (int j = 0; j < D / 8; ++j)
            if (row + 8 * h < n)
                *(float2*)(out + head + (unsigned long long)(row + 8 * h) * D + 8 * j + 2 * c) =
                    make_float2(sum[j][2 * h] * share, sum[j][2 * h + 1] * share);
    }
}

#define RIDGE_ATTENTION(D)                                                                                             \
    extern "C" __global__ void __launch_bounds__(kThreads)                                                             \
        attention_async_fp16_##D(const unsigned short* q, const unsigned short* k, const unsigned short* v,            \
                                 float* out, unsigned int n, unsigned int reach, float scale_log2, unsigned int group) \
    {                                                                                                                  \
        asyncTiled<D>(q, k, v, out, n, reach, scale_log2, group);                                                      \
    }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
RIDGE_ATTENTION(64)
RIDGE_ATTENTION(128)
#endif
