// SPDX-License-Identifier: GPL-3.0-or-later
//
// Attention, rung 6: the tiles on tensor cores, and nothing stored.
//
// Needs     sm_80
// Changed   the loop of rung 4 with the instructions of rung 5: a warp has 16 queries. Scores come out of the first product in
//           the very registers in which the second one wants its left factor, so that weights never leave them. (Rung 5:
//           scores and weights through device memory; rung 4: weights by way of shared memory.)
// Resource  device memory: against rung 5 all n x n traffic is gone, and two launches.
// Expect    the exponentials, 16 a clock and SM, now weigh as much as the products. Weights are rounded to fp16 before they
//           meet V: more exact than rung 5, which rounds scores, too, and less than rung 4.
// Gain      over rung 5: open until run on a GPU.
//
// Layouts as in rung 1, fp16 alone.

constexpr int kQueries = 64, kKeys = 64; // of a block of four warps, of a tile
constexpr float kNothing = -1e30f;       // below every score, and finite: the difference of two of them is 0, not NaN

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

/// Two 8 x 8 blocks of 16 rows, turned over, and the two beside them.
static __device__ void turned(unsigned int (&b)[4], const unsigned short* row)
{
    unsigned int at = (unsigned int)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3]) : "r"(at) : "memory");
}

/// Stages 64 rows of D numbers; what lies past `there` is 0.
template <int D>
__device__ void stage(unsigned short* tile, const unsigned short* from, unsigned int there)
{
    for (unsigned int at = threadIdx.x; at < 64 * D / 8; at += 128) {
        unsigned int row = at / (D / 8), column = at % (D / 8) * 8;
        uint4 x = row < there ? *(const uint4*)(from + 8 * at) : uint4{0, 0, 0, 0};
        *(uint4*)(tile + row * (D + 8) + column) = x;
    }
}

/// Lane (g, c) = (lane / 4, lane % 4) has rows g and g + 8 of its warp, and of 8 columns the ones 2c and 2c + 1.
template <int D>
__device__ void tensorTiled(const unsigned short* q, const unsigned short* k, const unsigned short* v, float* out,
                            unsigned int n, unsigned int reach, float scaleLog2)
{
    constexpr int kPitch = D + 8; // rows lie apart in the banks
    __shared__ __align__(16) unsigned short keys[kKeys * kPitch], values[kKeys * kPitch];
    unsigned int first = kQueries * blockIdx.x, warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, c = threadIdx.x % 4;
    unsigned long long head = (unsigned long long)blockIdx.y * n * D;
    unsigned int left[D / 16][4]; // Q, by way of the tile of K
    stage<D>(keys, q + head + (unsigned long long)first * D, n - first);
    __syncthreads();
    for (int s = 0; s < D / 16; ++s)
        for (int x = 0; x < 4; ++x) {
            unsigned int row = 16 * warp + g + x % 2 * 8, column = 16 * s + x / 2 * 8 + 2 * c;
            left[s][x] = *(const unsigned int*)(keys + row * kPitch + column);
        }
    float most[2] = {kNothing, kNothing}, below[2] = {}, sum[D / 8][4] = {};
    unsigned int row = first + 16 * warp + g, end = min(n, min(n, first + kQueries) - 1 + reach);
    for (unsigned int base = 0; base < end; base += kKeys) {
        __syncthreads(); // the tiles before are used up
        stage<D>(keys, k + head + (unsigned long long)base * D, n - base);
        stage<D>(values, v + head + (unsigned long long)base * D, n - base);
        __syncthreads();
        float score[kKeys / 8][4] = {};
#pragma unroll
        for (int s = 0; s < D / 16; ++s)
#pragma unroll
            for (int j = 0; j < kKeys / 8; ++j) {
                const unsigned short* key = keys + (8 * j + g) * kPitch + 16 * s + 2 * c;
                multiply(score[j], left[s], *(const unsigned int*)key, *(const unsigned int*)(key + 8));
            }
        for (int h = 0; h < 2; ++h) { // the two rows of this lane; four lanes share each
            unsigned int seen = min(n, row + 8 * h + reach);
            float next = most[h];
            for (int j = 0; j < kKeys / 8; ++j)
                for (int x = 2 * h; x < 2 * h + 2; ++x)
                    next = fmaxf(next, base + 8 * j + 2 * c + x % 2 < seen ? score[j][x] * scaleLog2 : kNothing);
            next = fmaxf(next, __shfl_xor_sync(0xffffffffu, next, 1));
            next = fmaxf(next, __shfl_xor_sync(0xffffffffu, next, 2));
            float shrink = exp2Fast(most[h] - next); // 1 where the maximum did not grow
            most[h] = next;
            below[h] *= shrink;
            for (int j = 0; j < kKeys / 8; ++j)
                for (int x = 2 * h; x < 2 * h + 2; ++x) {
                    bool sees = base + 8 * j + 2 * c + x % 2 < seen;
                    score[j][x] = sees ? exp2Fast(fmaf(score[j][x], scaleLog2, -next)) : 0.0f;
                    below[h] += score[j][x]; // this lane's columns alone
                }
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
                unsigned int right[4], lane = threadIdx.x % 32;
                turned(right, values + (16 * s + lane % 16) * kPitch + 8 * j + lane / 16 * 8);
                multiply(sum[j], weights, right[0], right[1]);
                multiply(sum[j + 1], weights, right[2], right[3]);
            }
        }
    }
    for (int h = 0; h < 2; ++h) {
        float all = below[h] + __shfl_xor_sync(0xffffffffu, below[h], 1);
        all += __shfl_xor_sync(0xffffffffu, all, 2);
        float share = all == 0 ? 0 : 1 / all; // a query that sees nothing gets zeros
        for (int j = 0; j < D / 8; ++j)
            if (row + 8 * h < n)
                *(float2*)(out + head + (unsigned long long)(row + 8 * h) * D + 8 * j + 2 * c) =
                    make_float2(sum[j][2 * h] * share, sum[j][2 * h + 1] * share);
    }
}

#define RIDGE_ATTENTION(D)                                                                                             \
    extern "C" __global__ void __launch_bounds__(128)                                                                  \
        attention_tiled_mma_fp16_##D(const unsigned short* q, const unsigned short* k, const unsigned short* v,        \
                                     float* out, unsigned int n, unsigned int reach, float scale_log2)                 \
    {                                                                                                                  \
        tensorTiled<D>(q, k, v, out, n, reach, scale_log2);                                                            \
    }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
RIDGE_ATTENTION(64)
RIDGE_ATTENTION(128)
#endif
