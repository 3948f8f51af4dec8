// SPDX-License-Identifier: GPL-3.0-or-later
//
// Attention, rung 4: tiles in shared memory (FlashAttention).
//
// Changed   a block has 4096 / D queries and brings K and V in tiles of 32 keys into shared memory, where all its queries use
//           them. (Rung 3: each query brings all of K and V for itself.)
// Resource  L1, L2 and the load units: K and V are asked for once a block instead of once a query.
// Expect    n x n x D elements over the queries of a block: 64 times fewer at D = 64, 32 times at 128, for the larger D leaves
//           room for fewer rows. The arithmetic is that of rung 3.
// Gain      over rung 3: open until run on a GPU.
//
// Layouts as in rung 1. Dao, Fu, Ermon, Rudra, Re, arXiv 2205.14135; the loop over keys inside, arXiv 2307.08691.

constexpr int kKeys = 32;          // of a tile
constexpr float kNothing = -1e30f; // below every score, and finite: the difference of two of them is 0, not NaN

static __device__ float exp2Fast(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static __device__ float4 load4(const float* from) { return *(const float4*)from; }

static __device__ float4 load4(const unsigned short* from)
{
    uint2 bits = *(const uint2*)from;
    float4 v;
    asm("{ .reg .b16 a, b, c, d; mov.b32 {a, b}, %4; mov.b32 {c, d}, %5; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b; "
        "cvt.f32.f16 %2, c; cvt.f32.f16 %3, d; }"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(bits.x), "r"(bits.y));
    return v;
}

/// Stages up to `rows` rows of D numbers; what lies past `there` is 0.
template <class T, int D, int Pitch>
__device__ void stage(float* tile, const T* from, unsigned int rows, unsigned int there, float scale)
{
    for (unsigned int at = threadIdx.x; at < rows * D / 4; at += 256) {
        unsigned int row = at / (D / 4), column = at % (D / 4) * 4;
        float4 x = row < there ? load4(from + 4 * at) : make_float4(0, 0, 0, 0);
        *(float4*)(tile + row * Pitch + column) = make_float4(x.x * scale, x.y * scale, x.z * scale, x.w * scale);
    }
}

static __device__ float across16(float x, bool sum)
{
    for (int other = 8; other > 0; other /= 2) {
        float y = __shfl_xor_sync(0xffffffffu, x, other);
        x = sum ? x + y : fmaxf(x, y);
    }
    return x;
}

/// 16 threads share kRows rows: of the scores a thread has 2 columns, of the output D / 16.
template <class T, int D>
__device__ void tiled(const T* q, const T* k, const T* v, float* out, unsigned int n, unsigned int reach, float scaleLog2)
{
    constexpr int kQueries = 4096 / D, kRows = kQueries / 16, kPitch = D + 4, kWeightPitch = kQueries + 4;
    __shared__ __align__(16) float queries[kQueries * kPitch], tile[kKeys * kPitch], weights[kKeys * kWeightPitch];
    unsigned int first = kQueries * blockIdx.x, tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    unsigned long long head = (unsigned long long)blockIdx.y * n;
    k += head * D;
    v += head * D;
    stage<T, D, kPitch>(queries, q + (head + first) * D, kQueries, n - first, scaleLog2);

    float most[kRows], below[kRows];
    float4 sum[kRows][D / 64] = {};
    for (int r = 0; r < kRows; ++r) {
        most[r] = kNothing;
        below[r] = 0;
    }
    unsigned int end = min(n, min(n, first + kQueries) - 1 + reach); // what the last query of the block sees
    for (unsigned int base = 0; base < end; base += kKeys) {
        __syncthreads(); // the tile before is used up
        stage<T, D, kPitch>(tile, k + (unsigned long long)base * D, kKeys, n - base, 1);
        __syncthreads();
        float score[kRows][2] = {};
#pragma unroll 4
        for (int i = 0; i < D; i += 4) {
            float4 b0 = *(const float4*)(tile + tx * kPitch + i), b1 = *(const float4*)(tile + (tx + 16) * kPitch + i);
            for (int r = 0; r < kRows; ++r) {
                float4 a = *(const float4*)(queries + (kRows * ty + r) * kPitch + i);
                score[r][0] = fmaf(a.x, b0.x, fmaf(a.y, b0.y, fmaf(a.z, b0.z, fmaf(a.w, b0.w, score[r][0]))));
                score[r][1] = fmaf(a.x, b1.x, fmaf(a.y, b1.y, fmaf(a.z, b1.z, fmaf(a.w, b1.w, score[r][1]))));
            }
        }
        for (int r = 0; r < kRows; ++r) {
            unsigned int seen = min(n, first + kRows * ty + r + reach);
            bool sees[2] = {base + tx < seen, base + tx + 16 < seen};
            float next = fmaxf(sees[0] ? score[r][0] : kNothing, sees[1] ? score[r][1] : kNothing);
            next = fmaxf(most[r], across16(next, false));
            float shrink = exp2Fast(most[r] - next); // 1 where the maximum did not grow
            most[r] = next;
            float weight[2] = {sees[0] ? exp2Fast(score[r][0] - next) : 0.0f, sees[1] ? exp2Fast(score[r][1] - next) : 0.0f};
            below[r] = fmaf(below[r], shrink, weight[0] + weight[1]); // this thread's columns alone
            weights[tx * kWeightPitch + kRows * ty + r] = weight[0];
            weights[(tx + 16) * kWeightPitch + kRows * ty + r] = weight[1];
            for (int c = 0; c < D / 64; ++c) {
                sum[r][c].x *= shrink;
                sum[r][c].y *= shrink;
                sum[r][c].z *= shrink;
                sum[r][c].w *= shrink;
            }
        }
        __syncthreads(); // all scores are made: V takes the place of K
        stage<T, D, kPitch>(tile, v + (unsigned long long)base * D, kKeys, n - base, 1);
        __syncthreads();
#pragma unroll 4
        for (int key = 0; key < kKeys; ++key) {
            for (int c = 0; c < D / 64; ++c) {
                float4 value = *(const float4*)(tile + key * kPitch + 64 * c + 4 * tx);
                for (int r = 0; r < kRows; ++r) {
                    float weight = weights[key * kWeightPitch + kRows * ty + r];
                    sum[r][c].x = fmaf(weight, value.x, sum[r][c].x);
                    sum[r][c].y = fmaf(weight, value.y, sum[r][c].y);
                    sum[r][c].z = fmaf(weight, value.z, sum[r][c].z);
                    sum[r][c].w = fmaf(weight, value.w, sum[r][c].w);
                }
            }
        }
    }
    for (int r = 0; r < kRows; ++r) {
        float all = across16(below[r], true), share = all == 0 ? 0 : 1 / all; // a query that sees nothing gets zeros
        unsigned int row = first + kRows * ty + r;
        for (int c = 0; c < D / 64; ++c)
            if (row < n)
                *(float4*)(out + (head + row) * D + 64 * c + 4 * tx) = make_float4(
                    sum[r][c].x * share, sum[r][c].y * share, sum[r][c].z * share, sum[r][c].w * share);
    }
}

#define RIDGE_ATTENTION(name, T, D)                                                                                    \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
        attention_tiled_##name##_##D(const T* q, const T* k, const T* v, float* out, unsigned int n,                   \
                                     unsigned int reach, float scale_log2)                                             \
    {                                                                                                                  \
        tiled<T, D>(q, k, v, out, n, reach, scale_log2);                                                               \
    }

RIDGE_ATTENTION(fp16, unsigned short, 64)
RIDGE_ATTENTION(fp16, unsigned short, 128)
RIDGE_ATTENTION(fp32, float, 64)
RIDGE_ATTENTION(fp32, float, 128)
