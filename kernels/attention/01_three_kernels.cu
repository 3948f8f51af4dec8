// SPDX-License-Identifier: GPL-3.0-or-later
//
// Attention, rung 1: three kernels, scores and weights through device memory.
//
// Shows     out = softmax(Q K^T / sqrt(D)) V as three launches. The first writes all n x n scores, the second reads them and
//           writes all n x n weights, the third reads those.
// Resource  device memory: two arrays of n x n for each head, and each crosses twice.
// Expect    memory and traffic that grow with n^2, while Q, K, V and out grow with n.
// Gain      the first rung. Time: open until run on a GPU.
//
// Q, K, V: [head][n][D], in fp16 or fp32 (T); scores and weights: [head][n][pitch] in T, pitch is n rounded up to 8; out:
// [head][n][D] in fp32, as is all arithmetic. Query i sees the keys before min(n, i + reach): reach n is every key, 1 is a
// causal mask, 0 is one without the own key. A query that sees nothing gets zeros.

constexpr int kTile = 64;         // queries, and keys, of a block
constexpr int kChunk = 32;        // columns that are staged at a time
constexpr int kPitch = kTile + 4; // of a staged column: 16-byte reads stay aligned

static __device__ float exp2Fast(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static __device__ float4 load4(const float* from) { return *(const float4*)from; }
static __device__ void store4(float* to, float4 v) { *(float4*)to = v; }

static __device__ float4 load4(const unsigned short* from)
{
    uint2 bits = *(const uint2*)from;
    float4 v;
    asm("{ .reg .b16 a, b, c, d; mov.b32 {a, b}, %4; mov.b32 {c, d}, %5; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b; "
        "cvt.f32.f16 %2, c; cvt.f32.f16 %3, d; }"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(bits.x), "r"(bits.y));
    return v;
}

static __device__ void store4(unsigned short* to, float4 v)
{
    uint2 bits;
    asm("{ .reg .b16 a, b, c, d; cvt.rn.f16.f32 a, %2; cvt.rn.f16.f32 b, %3; cvt.rn.f16.f32 c, %4; cvt.rn.f16.f32 d, %5; "
        "mov.b32 %0, {a, b}; mov.b32 %1, {c, d}; }"
        : "=r"(bits.x), "=r"(bits.y) : "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w));
    *(uint2*)to = bits;
}

/// Stages 64 rows x 32 columns, columns first. What lies outside the matrix is 0.
template <class T>
__device__ void stage(float (&tile)[kChunk][kPitch], const T* from, unsigned int rows, unsigned int columns,
                      unsigned int stride)
{
#pragma unroll
    for (int part = 0; part < 2; ++part) {
        unsigned int row = threadIdx.x / 8 + 32 * part, column = threadIdx.x % 8 * 4;
        float4 v = {0, 0, 0, 0};
        if (row < rows && column < columns)
            v = load4(from + (unsigned long long)row * stride + column);
        tile[column][row] = v.x;
        tile[column + 1][row] = v.y;
        tile[column + 2][row] = v.z;
        tile[column + 3][row] = v.w;
    }
}

/// 64 queries x 64 keys a block, 4 x 4 scores a thread.
template <class T, int D>
__device__ void scores(const T* q, const T* k, T* s, unsigned int n, unsigned int pitch, unsigned int reach, float scaleLog2)
{
    __shared__ float queries[kChunk][kPitch], keys[kChunk][kPitch];
    unsigned int firstKey = kTile * blockIdx.x, firstQuery = kTile * blockIdx.y;
    unsigned long long head = (unsigned long long)blockIdx.z * n;
    unsigned int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    float sum[4][4] = {};
    for (int c = 0; c < D; c += kChunk) {
        __syncthreads(); // the chunk before is used up
        stage(queries, q + (head + firstQuery) * D + c, n - firstQuery, kChunk, D);
        stage(keys, k + (head + firstKey) * D + c, n - firstKey, kChunk, D);
        __syncthreads();
#pragma unroll 8
        for (int i = 0; i < kChunk; ++i) {
            float4 a = *(const float4*)&queries[i][4 * ty], b = *(const float4*)&keys[i][4 * tx];
            float row[4] = {a.x, a.y, a.z, a.w}, column[4] = {b.x, b.y, b.z, b.w};
            for (int r = 0; r < 4; ++r)
                for (int x = 0; x < 4; ++x)
                    sum[r][x] = fmaf(row[r], column[x], sum[r][x]);
        }
    }
    for (int r = 0; r < 4; ++r) {
        unsigned int query = firstQuery + 4 * ty + r, key = firstKey + 4 * tx, seen = min(n, query + reach);
        for (int x = 0; x < 4; ++x) // 2^x is the instruction; e^x = 2^(x log2 e)
            sum[r][x] = key + x < seen ? sum[r][x] * scaleLog2 : __int_as_float(0xff800000); // minus infinity
        if (query < n && key < pitch)
            store4(s + (head + query) * pitch + key, make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]));
    }
}

/// A warp for each row: its maximum, its sum, its weights.
template <class T>
__device__ void softmax(const T* s, T* p, unsigned int rows, unsigned int pitch)
{
    unsigned int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    s += (unsigned long long)row * pitch;
    p += (unsigned long long)row * pitch;
    float most = __int_as_float(0xff800000), sum = 0;
    for (unsigned int at = 4 * lane; at < pitch; at += 128) {
        float4 v = load4(s + at);
        most = fmaxf(most, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
    for (int other = 16; other > 0; other /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, other));
    if (most == __int_as_float(0xff800000))
        most = 0; // no key is seen: all weights become 0, and not infinity less infinity
    for (unsigned int at = 4 * lane; at < pitch; at += 128) {
        float4 v = load4(s + at);
        sum += exp2Fast(v.x - most) + exp2Fast(v.y - most) + exp2Fast(v.z - most) + exp2Fast(v.w - most);
    }
    for (int other = 16; other > 0; other /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, other);
    float share = sum == 0 ? 0 : 1 / sum;
    for (unsigned int at = 4 * lane; at < pitch; at += 128) {
        float4 v = load4(s + at);
        store4(p + at, make_float4(exp2Fast(v.x - most) * share, exp2Fast(v.y - most) * share,
                                   exp2Fast(v.z - most) * share, exp2Fast(v.w - most) * share));
    }
}

/// 64 queries a block; a thread has 4 of them and D / 16 columns.
template <class T, int D>
__device__ void product(const T* p, const T* v, float* out, unsigned int n, unsigned int pitch)
{
    __shared__ float weights[kChunk][kPitch];
    __shared__ float4 values[kChunk][D / 4];
    unsigned int first = kTile * blockIdx.x, tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    unsigned long long head = (unsigned long long)blockIdx.y * n;
    float4 sum[4][D / 64] = {};
    for (unsigned int base = 0; base < n; base += kChunk) {
        __syncthreads();
        stage(weights, p + (head + first) * pitch + base, n - first, pitch - base, pitch);
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
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < D / 64; ++c)
            if (first + 4 * ty + r < n)
                store4(out + (head + first + 4 * ty + r) * D + 64 * c + 4 * tx, sum[r][c]);
}

#define RIDGE_ATTENTION(name, T, D)                                                                                    \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
        attention_scores_##name##_##D(const T* q, const T* k, T* s, unsigned int n, unsigned int pitch,                \
                                      unsigned int reach, float scale_log2)                                            \
    {                                                                                                                  \
        scores<T, D>(q, k, s, n, pitch, reach, scale_log2);                                                            \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
        attention_product_##name##_##D(const T* p, const T* v, float* out, unsigned int n, unsigned int pitch)         \
    {                                                                                                                  \
        product<T, D>(p, v, out, n, pitch);                                                                            \
    }
#define RIDGE_SOFTMAX(name, T)                                                                                         \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
        attention_softmax_##name(const T* s, T* p, unsigned int rows, unsigned int pitch)                              \
    {                                                                                                                  \
        softmax<T>(s, p, rows, pitch);                                                                                 \
    }

RIDGE_ATTENTION(fp16, unsigned short, 64)
RIDGE_ATTENTION(fp16, unsigned short, 128)
RIDGE_ATTENTION(fp32, float, 64)
RIDGE_ATTENTION(fp32, float, 128)
RIDGE_SOFTMAX(fp16, unsigned short)
RIDGE_SOFTMAX(fp32, float)
