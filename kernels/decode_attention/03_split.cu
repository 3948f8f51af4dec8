// SPDX-License-Identifier: GPL-3.0-or-later
//
// Decode attention, rung 3: the context in pieces (split-KV, "flash-decoding").
//
// Changed   several blocks share a KV head, each with a piece of the context; a second launch puts the pieces' sums together.
//           (Rung 2: one block walks the whole context.)
// Resource  SMs that rung 2 leaves idle: blocks are sequences x KV heads x pieces, whatever the batch.
// Expect    at batch 1 and a long context the time falls until the blocks fill the chip, and then stays; each piece costs
//           (D + 2) floats a query head, written and read again, and the second launch its start. Short contexts lose.
// Gain      over rung 2 at batch 1: open until run on a GPU.
//
// partial: [sequence][query head][piece][D] unnormalised sums; scales: [sequence][query head][piece] maximum and sum of
// weights. Otherwise as in rung 2. Dao et al., "Flash-Decoding for long-context inference" (2023).

constexpr unsigned int kTileVectors = 512; // 16-byte vectors of K in a tile, and of V: 8 KiB each
constexpr unsigned int kMostPieces = 2048; // 128 Ki tokens in pieces of 64
constexpr int kGroups = 4;                 // of the second launch
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
__device__ void decodePiece(const uint4* k, const uint4* v, const uint4* q, float* partial, float2* scales,
                            unsigned int context, unsigned int group, unsigned int pieceTokens, float scaleLog2)
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
    unsigned int piece = blockIdx.x, pieces = gridDim.x;
    unsigned int pair = blockIdx.z * gridDim.y + blockIdx.y; // of sequence and KV head
    k += (unsigned long long)pair * context * kLanes;
    v += (unsigned long long)pair * context * kLanes;
    unsigned int begin = piece * pieceTokens;
    unsigned int end = min(begin + pieceTokens, context);

    float query[E], sum[E], part[E];
    unpack(q[(pair * group + inGroup) * kLanes + lane], query);
    for (int e = 0; e < E; ++e) {
        query[e] *= scaleLog2; // 2^x is the instruction; e^x = 2^(x log2 e)
        sum[e] = 0;
    }
    float most = kNothing, weights = 0;

    for (unsigned int base = begin; base < end; base += kRows) {
        uint4 held[2 * kHeld]; // all loads of a thread leave before the first one is waited for
#pragma unroll
        for (int h = 0; h < kHeld; ++h) {
            unsigned int at = threadIdx.x + h * blockDim.x;
            held[h] = held[kHeld + h] = uint4{0, 0, 0, 0};
            if (at < kTileVectors && base + at / kLanes < end) {
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
                score[a] = base + row + a * strands < end ? dot : kNothing;
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
        unsigned long long row = (unsigned long long)(pair * group + at / D) * pieces + piece;
        partial[row * D + at % D] = above;
        if (at % D == 0)
            scales[row] = float2{top, below};
    }
}

// One block a query head and sequence. Threads first share out the pieces' scales, then four groups of D threads the pieces:
// a single loop over hundreds of pieces would wait for memory hundreds of times.
template <int D>
__device__ void combinePieces(const float* partial, const float2* scales, float* out, unsigned int pieces)
{
    __shared__ float weights[kMostPieces], sums[kGroups][D], tops[32], belows[32];
    unsigned int head = blockIdx.y * gridDim.x + blockIdx.x;
    unsigned int warp = threadIdx.x / 32, warps = kGroups * D / 32;
    partial += (unsigned long long)head * pieces * D;
    scales += (unsigned long long)head * pieces;

    float top = kNothing;
    for (unsigned int p = threadIdx.x; p < pieces; p += kGroups * D)
        top = fmaxf(top, scales[p].x);
    for (int other = 16; other > 0; other /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, other));
    tops[warp] = top;
    __syncthreads();
    for (unsigned int w = 0; w < warps; ++w)
        top = fmaxf(top, tops[w]);

    float below = 0;
    for (unsigned int p = threadIdx.x; p < pieces; p += kGroups * D) {
        float2 scale = scales[p];
        weights[p] = exp2Fast(scale.x - top);
        below = fmaf(weights[p], scale.y, below);
    }
    for (int other = 16; other > 0; other /= 2)
        below += __shfl_xor_sync(0xffffffffu, below, other);
    belows[warp] = below;
    __syncthreads();

    unsigned int element = threadIdx.x % D, group = threadIdx.x / D;
    float sum = 0;
#pragma unroll 8
    for (unsigned int p = group; p < pieces; p += kGroups)
        sum = fmaf(weights[p], partial[(unsigned long long)p * D + element], sum);
    sums[group][element] = sum;
    __syncthreads();
    if (threadIdx.x < D) {
        below = 0;
        for (unsigned int w = 0; w < warps; ++w)
            below += belows[w];
        for (int g = 1; g < kGroups; ++g)
            sum += sums[g][threadIdx.x];
        out[(unsigned long long)head * D + threadIdx.x] = sum / below;
    }
}

#define RIDGE_DECODE(name, E, D)                                                                                       \
    extern "C" __global__ void __launch_bounds__(1024)                                                                 \
        name(const uint4* k, const uint4* v, const uint4* q, float* partial, float2* scales, unsigned int context,     \
             unsigned int group, unsigned int piece_tokens, float scale_log2)                                          \
    {                                                                                                                  \
        decodePiece<E, D>(k, v, q, partial, scales, context, group, piece_tokens, scale_log2);                         \
    }

RIDGE_DECODE(decode_split_fp16_64, 8, 64)
RIDGE_DECODE(decode_split_fp16_128, 8, 128)
RIDGE_DECODE(decode_split_fp32_64, 4, 64)
RIDGE_DECODE(decode_split_fp32_128, 4, 128)

extern "C" __global__ void decode_combine_64(const float* partial, const float2* scales, float* out,
                                             unsigned int pieces)
{
    combinePieces<64>(partial, scales, out, pieces);
}

extern "C" __global__ void decode_combine_128(const float* partial, const float2* scales, float* out,
                                              unsigned int pieces)
{
    combinePieces<128>(partial, scales, out, pieces);
}
