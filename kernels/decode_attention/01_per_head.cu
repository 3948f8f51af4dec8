// SPDX-License-Identifier: GPL-3.0-or-later
//
// Decode attention, rung 1: one block for each query head.
//
// Shows     one token's attention over a KV cache: out = softmax(q K^T / sqrt(d)) V. Every byte of K and V is used for one
//           multiply-add and never again, so the time is that of reading the cache.
// Resource  device memory, and L2 where query heads share a KV head: each of their blocks reads the same K and V.
// Expect    with `group` query heads a KV head the blocks ask for group x the bytes of the cache. Few heads and sequences
//           make few blocks: most SMs idle, however long the context.
// Gain      the first rung. Time: open until run on a GPU.
//
// Online softmax (Milakov and Gimelshein, arXiv 1805.02867): K and V are read once, in one pass; a running maximum keeps
// the exponentials in range and what was summed before is scaled down when it grows.
//
// K and V: [sequence][KV head][token][D], q: [sequence][head][D], all fp16 (E = 8 elements in 16 bytes) or fp32 (E = 4);
// out: [sequence][head][D] in fp32, as is all arithmetic.

constexpr int kWarps = 4;
constexpr int kAhead = 4; // tokens that a lane loads before it uses the first
constexpr float kNothing = -1e30f; // below every score, and finite: the difference of two of them is 0, not NaN

static __device__ float exp2Fast(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static __device__ void unpackTwo(unsigned int bits, float& low, float& high)
{
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h; }"
        : "=f"(low), "=f"(high) : "r"(bits));
}

static __device__ void unpack(uint4 v, float (&to)[8])
{
    unpackTwo(v.x, to[0], to[1]);
    unpackTwo(v.y, to[2], to[3]);
    unpackTwo(v.z, to[4], to[5]);
    unpackTwo(v.w, to[6], to[7]);
}

static __device__ void unpack(uint4 v, float (&to)[4])
{
    to[0] = __uint_as_float(v.x);
    to[1] = __uint_as_float(v.y);
    to[2] = __uint_as_float(v.z);
    to[3] = __uint_as_float(v.w);
}

template <int E, int D>
__device__ void decodeHead(const uint4* k, const uint4* v, const uint4* q, float* out, unsigned int context,
                           unsigned int kvHeads, float scaleLog2)
{
    constexpr int kLanes = D / E;             // lanes that hold one row together, 16 bytes each
    constexpr int kStrands = kWarps * 32 / kLanes; // rows that the block works on at a time
    unsigned int lane = threadIdx.x % kLanes, strand = threadIdx.x / kLanes;
    unsigned int heads = gridDim.x, head = blockIdx.x, sequence = blockIdx.y;
    unsigned int kvHead = head / (heads / kvHeads);
    unsigned long long first = (unsigned long long)(sequence * kvHeads + kvHead) * context * kLanes + lane;
    k += first;
    v += first;

    float query[E], sum[E], part[E];
    unpack(q[(sequence * heads + head) * kLanes + lane], query);
    for (int e = 0; e < E; ++e) {
        query[e] *= scaleLog2; // 2^x is the instruction; e^x = 2^(x log2 e)
        sum[e] = 0;
    }
    float most = kNothing, weights = 0;

    for (unsigned int base = 0; base < context; base += kStrands * kAhead) {
        uint4 key[kAhead], value[kAhead];
        float score[kAhead], next = most;
#pragma unroll
        for (int a = 0; a < kAhead; ++a) {
            unsigned int token = base + a * kStrands + strand;
            key[a] = value[a] = uint4{0, 0, 0, 0};
            if (token < context) {
                key[a] = k[(unsigned long long)token * kLanes];
                value[a] = v[(unsigned long long)token * kLanes];
            }
        }
#pragma unroll
        for (int a = 0; a < kAhead; ++a) {
            unpack(key[a], part);
            float dot = 0;
            for (int e = 0; e < E; ++e)
                dot = fmaf(query[e], part[e], dot);
            for (int other = kLanes / 2; other > 0; other /= 2)
                dot += __shfl_xor_sync(0xffffffffu, dot, other);
            score[a] = base + a * kStrands + strand < context ? dot : kNothing;
            next = fmaxf(next, score[a]);
        }
        float shrink = exp2Fast(most - next);
        most = next;
        weights *= shrink;
        for (int e = 0; e < E; ++e)
            sum[e] *= shrink;
#pragma unroll
        for (int a = 0; a < kAhead; ++a) {
            float weight = score[a] > kNothing ? exp2Fast(score[a] - most) : 0.0f;
            weights += weight;
            unpack(value[a], part);
            for (int e = 0; e < E; ++e)
                sum[e] = fmaf(weight, part[e], sum[e]);
        }
    }

    // The strands of a warp, then the warps of the block, each with a maximum of its own.
    for (int other = kLanes; other < 32; other *= 2) {
        float next = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, other));
        float shrink = exp2Fast(most - next);
        most = next;
        weights *= shrink;
        weights += __shfl_xor_sync(0xffffffffu, weights, other);
        for (int e = 0; e < E; ++e) {
            sum[e] *= shrink;
            sum[e] += __shfl_xor_sync(0xffffffffu, sum[e], other);
        }
    }
    __shared__ float mosts[kWarps], weightsOf[kWarps], sums[kWarps][D];
    unsigned int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 < kLanes) {
        mosts[warp] = most;
        weightsOf[warp] = weights;
        for (int e = 0; e < E; ++e)
            sums[warp][lane * E + e] = sum[e];
    }
    __syncthreads();
    if (threadIdx.x < D) {
        float top = mosts[0], above = 0, below = 0;
        for (int w = 1; w < kWarps; ++w)
            top = fmaxf(top, mosts[w]);
        for (int w = 0; w < kWarps; ++w) {
            float shrink = exp2Fast(mosts[w] - top);
            above = fmaf(shrink, sums[w][threadIdx.x], above);
            below = fmaf(shrink, weightsOf[w], below);
        }
        out[(sequence * heads + head) * D + threadIdx.x] = above / below;
    }
}

#define RIDGE_DECODE(name, E, D)                                                                                       \
    extern "C" __global__ void __launch_bounds__(32 * kWarps)                                                          \
        name(const uint4* k, const uint4* v, const uint4* q, float* out, unsigned int context, unsigned int kv_heads,  \
             float scale_log2)                                                                                         \
    {                                                                                                                  \
        decodeHead<E, D>(k, v, q, out, context, kv_heads, scale_log2);                                                 \
    }

RIDGE_DECODE(decode_per_head_fp16_64, 8, 64)
RIDGE_DECODE(decode_per_head_fp16_128, 8, 128)
RIDGE_DECODE(decode_per_head_fp32_64, 4, 64)
RIDGE_DECODE(decode_per_head_fp32_128, 4, 128)
