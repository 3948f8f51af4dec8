// SPDX-License-Identifier: GPL-3.0-or-later
//
// Decode attention, rung 2: one block for each KV head.
//
// Changed   query heads that share a KV head are served by one block: it stages a tile of K and V in shared memory and each
//           head's warp reads it there. (Rung 1: a block for each query head.)
// Resource  L2 and device memory: K and V are asked for once in all, not once a query head.
// Expect    `group` x fewer bytes asked for. With grouped-query attention there are also `group` x fewer blocks: where they
//           no longer fill the chip this rung is SLOWER than rung 1, whose further reads hit in L2. Rung 3 mends that.
//           Without groups (MHA) nothing is saved and the tile's two barriers are paid.
// Gain      over rung 1 where blocks fill the chip: open until run on a GPU.
//
// Layouts as in rung 1. A block has max(4, group) warps; with fewer than four heads, warps share a head.

constexpr unsigned int kTileVectors = 512; // 16-byte vectors of K in a tile, and of V: 8 KiB each
constexpr int kHeld = 4;                   // vectors of K that a thread brings: a block has 128 threads or more
constexpr int kAhead = 4;                  // tokens scored before the running maximum is looked at again
constexpr float kNothing = -1e30f;         // below every score, and finite: differences are never NaN

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
__device__ void decodeGroup(const uint4* k, const uint4* v, const uint4* q, float* out, unsigned int context,
                            unsigned int group, float scaleLog2)
{
    constexpr int kLanes = D / E;                  // lanes that hold one row together, 16 bytes each
    constexpr int kRows = kTileVectors / kLanes;   // tokens of a tile
    constexpr int kRowsAWarp = 32 / kLanes;        // rows that a warp works on at a time
    __shared__ uint4 tile[2 * kTileVectors];       // K, then V; at the end the warps' sums
    __shared__ float mosts[32], weightsOf[32];
    unsigned int lane = threadIdx.x % kLanes, warp = threadIdx.x / 32;
    unsigned int warpsAHead = blockDim.x / 32 / group;
    unsigned int inGroup = warp / warpsAHead;
    unsigned int strands = warpsAHead * kRowsAWarp;
    unsigned int strand = warp % warpsAHead * kRowsAWarp + threadIdx.x % 32 / kLanes;
    unsigned int pair = blockIdx.y * gridDim.x + blockIdx.x; // of sequence and KV head
    k += (unsigned long long)pair * context * kLanes;
    v += (unsigned long long)pair * context * kLanes;

    float query[E], sum[E], part[E];
    unpack(q[(pair * group + inGroup) * kLanes + lane], query);
    for (int e = 0; e < E; ++e) {
        query[e] *= scaleLog2; // 2^x is the instruction; e^x = 2^(x log2 e)
        sum[e] = 0;
    }
    float most = kNothing, weights = 0;

    for (unsigned int base = 0; base < context; base += kRows) {
        uint4 held[2 * kHeld]; // all loads of a thread leave before the first one is waited for
#pragma unroll
        for (int h = 0; h < kHeld; ++h) {
            unsigned int at = threadIdx.x + h * blockDim.x;
            held[h] = held[kHeld + h] = uint4{0, 0, 0, 0};
            if (at < kTileVectors && base + at / kLanes < context) {
                held[h] = k[(unsigned long long)base * kLanes + at];
                held[kHeld + h] = v[(unsigned long long)base * kLanes + at];
            }
        }
        __syncthreads(); // the tile before is done with
#pragma unroll
        for (int h = 0; h < kHeld; ++h) {
            unsigned int at = threadIdx.x + h * blockDim.x;
            if (at < kTileVectors) {
                tile[at] = held[h];
                tile[kTileVectors + at] = held[kHeld + h];
            }
        }
        __syncthreads();
        for (unsigned int row = strand; row < kRows; row += kAhead * strands) {
            float score[kAhead], next = most;
#pragma unroll
            for (int a = 0; a < kAhead; ++a) {
                unpack(tile[(row + a * strands) * kLanes + lane], part);
                float dot = 0;
                for (int e = 0; e < E; ++e)
                    dot = fmaf(query[e], part[e], dot);
                for (int other = kLanes / 2; other > 0; other /= 2)
                    dot += __shfl_xor_sync(0xffffffffu, dot, other);
                score[a] = base + row + a * strands < context ? dot : kNothing;
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
                unpack(tile[kTileVectors + (row + a * strands) * kLanes + lane], part);
                for (int e = 0; e < E; ++e)
                    sum[e] = fmaf(weight, part[e], sum[e]);
            }
        }
    }

    // The strands of a warp, then the warps of a head, each with a maximum of its own.
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
    __syncthreads();
    float* sums = (float*)tile;
    if (threadIdx.x % 32 < kLanes) {
        mosts[warp] = most;
        weightsOf[warp] = weights;
        for (int e = 0; e < E; ++e)
            sums[warp * D + lane * E + e] = sum[e];
    }
    __syncthreads();
    for (unsigned int at = threadIdx.x; at < group * D; at += blockDim.x) {
        unsigned int from = at / D * warpsAHead;
        float top = mosts[from], above = 0, below = 0;
        for (unsigned int w = 1; w < warpsAHead; ++w)
            top = fmaxf(top, mosts[from + w]);
        for (unsigned int w = 0; w < warpsAHead; ++w) {
            float shrink = exp2Fast(mosts[from + w] - top);
            above = fmaf(shrink, sums[(from + w) * D + at % D], above);
            below = fmaf(shrink, weightsOf[from + w], below);
        }
        out[pair * group * D + at] = above / below;
    }
}

#define RIDGE_DECODE(name, E, D)                                                                                       \
    extern "C" __global__ void __launch_bounds__(1024)                                                                 \
        name(const uint4* k, const uint4* v, const uint4* q, float* out, unsigned int context, unsigned int group,     \
             float scale_log2)                                                                                         \
    {                                                                                                                  \
        decodeGroup<E, D>(k, v, q, out, context, group, scale_log2);                                                   \
    }

RIDGE_DECODE(decode_grouped_fp16_64, 8, 64)
RIDGE_DECODE(decode_grouped_fp16_128, 8, 128)
RIDGE_DECODE(decode_grouped_fp32_64, 4, 64)
RIDGE_DECODE(decode_grouped_fp32_128, 4, 128)
