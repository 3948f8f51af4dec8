// SPDX-License-Identifier: GPL-3.0-or-later
//
// Attention, rung 2: softmax fused into the product with V.
//
// Changed   the kernel that multiplies with V makes the weights itself: a first pass over its rows of scores finds maximum and
//           sum, a second one turns scores into weights on their way into shared memory. (Rung 1: a launch for it.)
// Resource  device memory: the array of weights is gone, one of two; and a launch.
// Expect    half the extra memory, half the n x n traffic. Each exponential is computed twice. Weights are no longer rounded
//           to T, so that fp16 comes out more exact.
// Gain      over rung 1: open until run on a GPU.
//
// The scores are made by the first kernel of rung 1. Layouts as there.

constexpr int kTile = 64;         // queries of a block
constexpr int kChunk = 32;        // keys that are staged at a time
constexpr int kPitch = kTile + 4; // of a staged column: 16-byte reads stay aligned

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

/// 64 queries a block; a thread has 4 of them and D / 16 columns.
template <class T, int D>
__device__ void softmaxProduct(const T* s, const T* v, float* out, unsigned int n, unsigned int pitch)
{
    __shared__ float weights[kChunk][kPitch];
    __shared__ float4 values[kChunk][D / 4];
    __shared__ float mosts[kTile], sums[kTile];
    unsigned int first = kTile * blockIdx.x, tx = threadIdx.x % 16, ty = threadIdx.x / 16, lane = threadIdx.x % 32;
    unsigned long long head = (unsigned long long)blockIdx.y * n;
    s += (head + first) * pitch;

    for (unsigned int row = threadIdx.x / 32; row < kTile; row += 8) { // a warp for each row
        float most = __int_as_float(0xff800000), sum = 0;
        if (first + row < n) {
            for (unsigned int at = 4 * lane; at < pitch; at += 128) {
                float4 x = load4(s + (unsigned long long)row * pitch + at);
                most = fmaxf(most, fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)));
            }
            for (int other = 16; other > 0; other /= 2)
                most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, other));
            if (most == __int_as_float(0xff800000))
                most = 0; // no key is seen: all weights become 0, and not infinity less infinity
            for (unsigned int at = 4 * lane; at < pitch; at += 128) {
                float4 x = load4(s + (unsigned long long)row * pitch + at);
                sum += exp2Fast(x.x - most) + exp2Fast(x.y - most) + exp2Fast(x.z - most) + exp2Fast(x.w - most);
            }
            for (int other = 16; other > 0; other /= 2)
                sum += __shfl_xor_sync(0xffffffffu, sum, other);
        }
        if (lane == 0) {
            mosts[row] = most;
            sums[row] = sum;
        }
    }

    float4 sum[4][D / 64] = {};
    for (unsigned int base = 0; base < n; base += kChunk) {
        __syncthreads();
#pragma unroll
        for (int part = 0; part < 2; ++part) {
            unsigned int row = threadIdx.x / 8 + 32 * part, column = threadIdx.x % 8 * 4;
            float4 w = {0, 0, 0, 0};
            if (first + row < n && base + column < pitch) {
                float4 x = load4(s + (unsigned long long)row * pitch + base + column);
                float most = mosts[row];
                w = make_float4(exp2Fast(x.x - most), exp2Fast(x.y - most), exp2Fast(x.z - most), exp2Fast(x.w - most));
            }
            weights[column][row] = w.x;
            weights[column + 1][row] = w.y;
            weights[column + 2][row] = w.z;
            weights[column + 3][row] = w.w;
        }
        for (unsigned int at = threadIdx.x; at < kChunk * D / 4; at += 256)
            values[0][at] = base + at / (D / 4) < n ? load4(v + (head + base) * D + 4 * at) : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 4
        for (int key = 0; key < kChunk; ++key) {
            float4 w = *(const float4*)&weights[key][4 * ty];
            float weight[4] = {w.x, w.y, w.z, w.w};
            for (int c = 0; c < D / 64; ++c) {
                float4 value = values[key][16 * c + tx];
                for (int r = 0; r < 4; ++r) {
                    sum[r][c].x = fmaf(weight[r], value.x, sum[r][c].x);
                    sum[r][c].y = fmaf(weight[r], value.y, sum[r][c].y);
                    sum[r][c].z = fmaf(weight[r], value.z, sum[r][c].z);
                    sum[r][c].w = fmaf(weight[r], value.w, sum[r][c].w);
                }
            }
        }
    }
    for (int r = 0; r < 4; ++r) {
        unsigned int row = 4 * ty + r;
        if (first + row >= n)
            continue;
        float share = sums[row] == 0 ? 0 : 1 / sums[row];
        for (int c = 0; c < D / 64; ++c)
            *(float4*)(out + (head + first + row) * D + 64 * c + 4 * tx) =
                make_float4(sum[r][c].x * share, sum[r][c].y * share, sum[r][c].z * share, sum[r][c].w * share);
    }
}

#define RIDGE_ATTENTION(name, T, D)                                                                                    \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
        attention_softmax_product_##name##_##D(const T* s, const T* v, float* out, unsigned int n, unsigned int pitch) \
    {                                                                                                                  \
        softmaxProduct<T, D>(s, v, out, n, pitch);                                                                     \
    }

RIDGE_ATTENTION(fp16, unsigned short, 64)
RIDGE_ATTENTION(fp16, unsigned short, 128)
RIDGE_ATTENTION(fp32, float, 64)
RIDGE_ATTENTION(fp32, float, 128)
