// SPDX-License-Identifier: GPL-3.0-or-later
//
// Attention, rung 3: one pass with a running maximum (online softmax).
//
// Changed   one launch, and no score is ever stored. A warp has one query and walks over the keys once, 32 at a time: when the
//           maximum grows, what was summed before is scaled down. (Rung 2: all scores first, then maximum, sum and product.)
// Resource  device memory: both arrays of n x n are gone. What is kept of a row is its maximum, its sum and D numbers.
// Expect    memory that grows with n. But each query fetches all of K and V for itself: n x n x D elements, from L1 and L2, and
//           that is what its time goes into.
// Gain      over rung 2: open until run on a GPU.
//
// Layouts as in rung 1. Online softmax: Milakov and Gimelshein, arXiv 1805.02867.

constexpr int kWarps = 8;
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

static __device__ float load(const float* from) { return *from; }

static __device__ float load(const unsigned short* from)
{
    float v;
    asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(*from));
    return v;
}

template <class T, int D>
__device__ void onePass(const T* q, const T* k, const T* v, float* out, unsigned int n, unsigned int reach, float scaleLog2)
{
    constexpr int kColumns = D / 32; // of the output that a lane has: lane, lane + 32, ...
    __shared__ float4 queries[kWarps][D / 4];
    unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32, query = blockIdx.x * kWarps + warp;
    if (query >= n)
        return;
    unsigned long long head = (unsigned long long)blockIdx.y * n;
    k += head * D;
    v += head * D;
    if (lane < D / 4) {
        float4 x = load4(q + (head + query) * D + 4 * lane);
        queries[warp][lane] = make_float4(x.x * scaleLog2, x.y * scaleLog2, x.z * scaleLog2, x.w * scaleLog2);
    }
    __syncwarp();

    unsigned int seen = min(n, query + reach);
    float most = kNothing, weights = 0, sum[kColumns] = {};
    for (unsigned int base = 0; base < seen; base += 32) {
        unsigned int key = base + lane; // a lane has one key here ...
        float score = kNothing, dot[4] = {};
        if (key < seen) {
#pragma unroll 4
            for (int i = 0; i < D / 4; ++i) {
                float4 a = queries[warp][i], b = load4(k + (unsigned long long)key * D + 4 * i);
                dot[0] = fmaf(a.x, b.x, dot[0]);
                dot[1] = fmaf(a.y, b.y, dot[1]);
                dot[2] = fmaf(a.z, b.z, dot[2]);
                dot[3] = fmaf(a.w, b.w, dot[3]);
            }
            score = (dot[0] + dot[1]) + (dot[2] + dot[3]);
        }
        float next = fmaxf(most, score);
        for (int other = 16; other > 0; other /= 2)
            next = fmaxf(next, __shfl_xor_sync(0xffffffffu, next, other));
        float shrink = exp2Fast(most - next); // 1 where the maximum did not grow
        most = next;
        float weight = key < seen ? exp2Fast(score - most) : 0.0f;
        weights = fmaf(weights, shrink, weight);
        for (int c = 0; c < kColumns; ++c)
            sum[c] *= shrink;
        unsigned int keys = min(32u, seen - base);
        for (unsigned int j = 0; j < keys; j += 4) // ... and kColumns columns of all of them here
#pragma unroll
            for (unsigned int x = 0; x < 4; ++x) { // past the last key its weight is 0
                float w = __shfl_sync(0xffffffffu, weight, j + x);
                unsigned long long row = min(base + j + x, seen - 1);
                for (int c = 0; c < kColumns; ++c)
                    sum[c] = fmaf(w, load(v + row * D + lane + 32 * c), sum[c]);
            }
    }
    for (int other = 16; other > 0; other /= 2)
        weights += __shfl_xor_sync(0xffffffffu, weights, other);
    float share = weights == 0 ? 0 : 1 / weights; // a query that sees nothing gets zeros
    for (int c = 0; c < kColumns; ++c)
        out[(head + query) * D + lane + 32 * c] = sum[c] * share;
}

#define RIDGE_ATTENTION(name, T, D)                                                                                    \
    extern "C" __global__ void __launch_bounds__(32 * kWarps)                                                          \
        attention_online_##name##_##D(const T* q, const T* k, const T* v, float* out, unsigned int n,                  \
                                      unsigned int reach, float scale_log2)                                            \
    {                                                                                                                  \
        onePass<T, D>(q, k, v, out, n, reach, scale_log2);                                                             \
    }

RIDGE_ATTENTION(fp16, unsigned short, 64)
RIDGE_ATTENTION(fp16, unsigned short, 128)
RIDGE_ATTENTION(fp32, float, 64)
RIDGE_ATTENTION(fp32, float, 128)
