// SPDX-License-Identifier: GPL-3.0-or-later
// A second development set of the cycle comparison, one kernel a style: free to look at, as often as one likes.
// What is launched how stands in manifest.json. make.sh makes styles.ptx, which is what GPU and simulator run.
// One file, long as it is: the PTX that it becomes is the key of what GPUs were recorded with.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

static __device__ float normal_cdf(float d)
{
    const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    const float poly =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.39894228f * expf(-0.5f * d * d) * poly;
    return d > 0 ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(const float* price, const float* strike, const float* years, float* call,
                                         float* put, float rate, float volatility, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float s = 30.0f + 20.0f * price[i], x = 35.0f + 20.0f * strike[i], t = 1.25f + years[i];
    const float root = sqrtf(t);
    const float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    const float d2 = d1 - volatility * root;
    const float n1 = normal_cdf(d1), n2 = normal_cdf(d2), discounted = x * expf(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}

extern "C" __global__ void collatz(unsigned* steps, unsigned first)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = first + i, count = 0;
    while (v > 1 && count < 500) {
        v = v % 2 ? 3 * v + 1 : v / 2;
        ++count;
    }
    steps[i] = count;
}

static __device__ unsigned xorshift(unsigned& state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

extern "C" __global__ void box_muller(float* out, unsigned seed, int rounds)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = (i + 1) * 2654435761u ^ seed;
    float sum = 0;
    for (int k = 0; k < rounds; ++k) {
        const float u = ((xorshift(state) >> 8) + 1) * 5.9604645e-8f;
        const float angle = (xorshift(state) >> 8) * (6.2831853f * 5.9604645e-8f);
        const float radius = sqrtf(-2.0f * __logf(u));
        sum += radius * (__cosf(angle) + __sinf(angle));
    }
    out[i] = sum;
}

extern "C" __global__ void fft256(const float2* in, float2* out)
{
    __shared__ float2 s[256];
    const int t = threadIdx.x;
    for (int i = t; i < 256; i += 128)
        s[__brev(i) >> 24] = in[blockIdx.x * 256 + i];
    for (int half = 1; half < 256; half *= 2) {
        __syncthreads();
        const int k = t & (half - 1), low = 2 * t - k, high = low + half;
        float si, co;
        sincospif(-float(k) / half, &si, &co);
        const float2 a = s[low], b = s[high];
        const float2 w = make_float2(b.x * co - b.y * si, b.x * si + b.y * co);
        s[low] = make_float2(a.x + w.x, a.y + w.y);
        s[high] = make_float2(a.x - w.x, a.y - w.y);
    }
    __syncthreads();
    for (int i = t; i < 256; i += 128)
        out[blockIdx.x * 256 + i] = s[i];
}

// Rows have 1 to 63 entries; where one starts is computed rather than read.
static __device__ int row_start(int row)
{
    return row * 32 + int(unsigned(row) * 2654435761u >> 27);
}

extern "C" __global__ void spmv_csr(const float* values, const unsigned* columns, const float* x, float* y,
                                    unsigned mask, int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int j = row_start(row) + lane; j < row_start(row + 1); j += 32)
        sum += values[j] * x[columns[j] & mask];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}

extern "C" __global__ void binary_search(const unsigned* sorted, const unsigned* keys, unsigned* found, int size,
                                         unsigned mask, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned key = keys[i] & mask;
    int low = 0, high = size;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    found[i] = low;
}

extern "C" __global__ void scan_warp(const int4* in, int4* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int4 a = in[2 * i], b = in[2 * i + 1];
    a.y += a.x;
    a.z += a.y;
    a.w += a.z;
    b.x += a.w;
    b.y += b.x;
    b.z += b.y;
    b.w += b.z;
    int before = b.w;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const int other = __shfl_up_sync(~0u, before, d);
        if (lane >= d)
            before += other;
    }
    before -= b.w;
    out[2 * i] = make_int4(a.x + before, a.y + before, a.z + before, a.w + before);
    out[2 * i + 1] = make_int4(b.x + before, b.y + before, b.z + before, b.w + before);
}

extern "C" __global__ void radix_count(const unsigned* in, unsigned* counts, int shift, int n)
{
    __shared__ unsigned local[16];
    if (threadIdx.x < 16)
        local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i] >> shift & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

// c = a * b^T, four signed bytes a word; 32 x 32 of c a block, 2 x 2 a thread.
extern "C" __global__ void gemm_int8(const int* a, const int* b, int* c, int n, int words)
{
    __shared__ int as[32][9], bs[32][9];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    const int row = blockIdx.y * 32, col = blockIdx.x * 32;
    int sum[2][2] = {};
    for (int k0 = 0; k0 < words; k0 += 8) {
        as[t / 8][t % 8] = a[(row + t / 8) * words + k0 + t % 8];
        bs[t / 8][t % 8] = b[(col + t / 8) * words + k0 + t % 8];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            const int x0 = as[ty][k], x1 = as[ty + 16][k], y0 = bs[tx][k], y1 = bs[tx + 16][k];
            sum[0][0] = __dp4a(x0, y0, sum[0][0]);
            sum[0][1] = __dp4a(x0, y1, sum[0][1]);
            sum[1][0] = __dp4a(x1, y0, sum[1][0]);
            sum[1][1] = __dp4a(x1, y1, sum[1][1]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            c[(row + ty + 16 * i) * n + col + tx + 16 * j] = sum[i][j];
}

// 64 x 64 of c a block of four warps, 32 x 32 a warp.
extern "C" __global__ void hgemm_staged(const half* a, const half* b, float* c, int n)
{
    using namespace nvcuda;
    __shared__ __align__(32) half as[64][40];
    __shared__ __align__(32) half bs[32][72];
    const int t = threadIdx.x, warp = t / 32, wy = warp / 2 * 32, wx = warp % 2 * 32;
    const int row = blockIdx.y * 64, col = blockIdx.x * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc[2][2];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            wmma::fill_fragment(fc[i][j], 0.0f);
    for (int k0 = 0; k0 < n; k0 += 32) {
        for (int i = t; i < 256; i += 128) {
            const int ay = i / 4, ax = i % 4 * 8, by = i / 8, bx = i % 8 * 8;
            *reinterpret_cast<int4*>(&as[ay][ax]) = *reinterpret_cast<const int4*>(a + (row + ay) * n + k0 + ax);
            *reinterpret_cast<int4*>(&bs[by][bx]) = *reinterpret_cast<const int4*>(b + (k0 + by) * n + col + bx);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[2];
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(fa[i], &as[wy + 16 * i][k], 40);
                wmma::load_matrix_sync(fb[i], &bs[k][wx + 16 * i], 72);
            }
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j)
                    wmma::mma_sync(fc[i][j], fa[i], fb[j], fc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(c + (row + wy + 16 * i) * n + col + wx + 16 * j, fc[i][j], n, wmma::mem_row_major);
}

// 64 x 64 of c a block of 256 threads, 4 x 4 a thread; the next tile is on its way while this one is used.
extern "C" __global__ void sgemm_double_buffer(const float* a, const float* b, float* c, int n)
{
    __shared__ __align__(16) float as[2][16][68], bs[2][16][64];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const int row = blockIdx.y * 64, col = blockIdx.x * 64;
    const float* pa = a + (row + t / 4) * n + t % 4 * 4;
    const float* pb = b + t / 16 * n + col + t % 16 * 4;
    float4 ra = *reinterpret_cast<const float4*>(pa), rb = *reinterpret_cast<const float4*>(pb);
    const auto keep = [&](int slot) {
        as[slot][t % 4 * 4 + 0][t / 4] = ra.x;
        as[slot][t % 4 * 4 + 1][t / 4] = ra.y;
        as[slot][t % 4 * 4 + 2][t / 4] = ra.z;
        as[slot][t % 4 * 4 + 3][t / 4] = ra.w;
        *reinterpret_cast<float4*>(&bs[slot][t / 16][t % 16 * 4]) = rb;
    };
    keep(0);
    __syncthreads();
    float sum[4][4] = {};
    int slot = 0;
    for (int k0 = 16; k0 <= n; k0 += 16) {
        if (k0 < n) {
            ra = *reinterpret_cast<const float4*>(pa + k0);
            rb = *reinterpret_cast<const float4*>(pb + k0 * n);
        }
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const float4 x = *reinterpret_cast<const float4*>(&as[slot][k][ty * 4]);
            const float4 y = *reinterpret_cast<const float4*>(&bs[slot][k][tx * 4]);
            const float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    sum[i][j] += xs[i] * ys[j];
        }
        slot = 1 - slot;
        if (k0 < n)
            keep(slot);
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        *reinterpret_cast<float4*>(&c[(row + ty * 4 + i) * n + col + tx * 4]) =
            make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

// One query a thread, head dimension 64; blockIdx.y is the head.
extern "C" __global__ void attention(const float* q, const float* k, const float* v, float* out, int length,
                                     float scale)
{
    __shared__ __align__(16) float ks[32][64], vs[32][64];
    const int t = threadIdx.x, head = blockIdx.y * length * 64, row = blockIdx.x * 64 + t;
    float query[64], sum[64], top = -INFINITY, total = 0;
#pragma unroll
    for (int d = 0; d < 64; ++d) {
        query[d] = q[head + row * 64 + d] * scale;
        sum[d] = 0;
    }
    for (int tile = 0; tile < length; tile += 32) {
        for (int i = t; i < 32 * 16; i += 64) {
            reinterpret_cast<float4*>(ks)[i] = reinterpret_cast<const float4*>(k + head + tile * 64)[i];
            reinterpret_cast<float4*>(vs)[i] = reinterpret_cast<const float4*>(v + head + tile * 64)[i];
        }
        __syncthreads();
        for (int j = 0; j < 32; ++j) {
            float score = 0;
#pragma unroll
            for (int d = 0; d < 64; ++d)
                score += query[d] * ks[j][d];
            if (score > top) {
                const float shrink = __expf(top - score);
                total *= shrink;
#pragma unroll
                for (int d = 0; d < 64; ++d)
                    sum[d] *= shrink;
                top = score;
            }
            const float p = __expf(score - top);
            total += p;
#pragma unroll
            for (int d = 0; d < 64; ++d)
                sum[d] += p * vs[j][d];
        }
        __syncthreads();
    }
#pragma unroll
    for (int d = 0; d < 64; ++d)
        out[head + row * 64 + d] = sum[d] / total;
}

extern "C" __global__ void conv1d(const float* __restrict__ in, const float* __restrict__ filter,
                                  float* __restrict__ out, int taps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < taps; ++k)
        sum += in[i + k] * filter[k];
    out[i] = sum;
}

static __device__ float block_sum(float v, float* part)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int i = 0; i < int(blockDim.x / 32); ++i)
        v += part[i];
    return v;
}

extern "C" __global__ void layernorm_block(const float4* in, const float4* gain, const float4* bias, float4* out,
                                           int quads)
{
    __shared__ float part[32];
    const float4* x = in + blockIdx.x * quads;
    float sum = 0, square = 0;
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
        const float4 v = x[i];
        sum += v.x + v.y + v.z + v.w;
    }
    const float mean = block_sum(sum, part) / (4 * quads);
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
        const float4 v = x[i];
        const float a = v.x - mean, b = v.y - mean, c = v.z - mean, d = v.w - mean;
        square += a * a + b * b + c * c + d * d;
    }
    const float scale = rsqrtf(block_sum(square, part) / (4 * quads) + 1e-5f);
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
        const float4 v = x[i], g = gain[i], b = bias[i];
        out[blockIdx.x * quads + i] = make_float4((v.x - mean) * scale * g.x + b.x, (v.y - mean) * scale * g.y + b.y,
                                                  (v.z - mean) * scale * g.z + b.z, (v.w - mean) * scale * g.w + b.w);
    }
}

// A warp a row of 128.
extern "C" __global__ void softmax_short(const float4* in, float4* out, int rows)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i / 32 >= rows)
        return;
    float4 v = in[i];
    float top = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    v = make_float4(expf(v.x - top), expf(v.y - top), expf(v.z - top), expf(v.w - top));
    float sum = v.x + v.y + v.z + v.w;
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    const float inverse = 1.0f / sum;
    out[i] = make_float4(v.x * inverse, v.y * inverse, v.z * inverse, v.w * inverse);
}

// 64 x 64 a block of 32 x 8.
extern "C" __global__ void transpose_half2(const half2* in, half2* out, int pairs)
{
    __shared__ half2 tile[64][33];
    const int tx = threadIdx.x, ty = threadIdx.y;
    for (int j = ty; j < 64; j += 8)
        tile[j][tx] = in[(blockIdx.y * 64 + j) * pairs + blockIdx.x * 32 + tx];
    __syncthreads();
    for (int j = ty; j < 32; j += 8) {
        const half2 a = tile[2 * tx][j], b = tile[2 * tx + 1][j];
        half2* to = out + (blockIdx.x * 64 + 2 * j) * pairs + blockIdx.y * 32 + tx;
        to[0] = __lows2half2(a, b);
        to[pairs] = __highs2half2(a, b);
    }
}

extern "C" __global__ void life(const unsigned char* in, unsigned char* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const int left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
    const int rows[3] = {y == 0 ? height - 1 : y - 1, y, y == height - 1 ? 0 : y + 1};
    int alive = 0;
    for (int j = 0; j < 3; ++j) {
        const unsigned char* row = in + rows[j] * width;
        alive += (row[left] & 1) + (row[right] & 1);
        if (j != 1)
            alive += row[x] & 1;
    }
    out[y * width + x] = alive == 3 || (alive == 2 && (in[y * width + x] & 1));
}

// A block walks through z with 32 x 8 columns; edges stay as they are.
extern "C" __global__ void stencil3d(const float* in, float* out, int nx, int ny, int nz)
{
    __shared__ float tile[10][34];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, layer = nx * ny;
    const bool inside = x > 0 && y > 0 && x < nx - 1 && y < ny - 1;
    int at = y * nx + x;
    float below = in[at], here = in[at + layer];
    for (int z = 1; z < nz - 1; ++z) {
        at += layer;
        const float above = in[at + layer];
        tile[ty][tx] = here;
        if (threadIdx.x == 0 && x > 0)
            tile[ty][0] = in[at - 1];
        if (threadIdx.x == 31 && x < nx - 1)
            tile[ty][33] = in[at + 1];
        if (threadIdx.y == 0 && y > 0)
            tile[0][tx] = in[at - nx];
        if (threadIdx.y == 7 && y < ny - 1)
            tile[9][tx] = in[at + nx];
        __syncthreads();
        if (inside)
            out[at] = 0.4f * here + 0.1f * (below + above + tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] +
                                            tile[ty + 1][tx]);
        __syncthreads();
        below = here;
        here = above;
    }
}

extern "C" __global__ void reduce_double(const double* in, double* sums, int n)
{
    __shared__ double part[32];
    double v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += in[i];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(~0u, v, d);
        if (threadIdx.x == 0)
            sums[blockIdx.x] = v;
    }
}

extern "C" __global__ void segment_count(const unsigned* keys, const int* weights, int* counts, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[keys[i] % 1024], weights[i] & 7);
}

static __device__ unsigned hash(unsigned v)
{
    v ^= v >> 16;
    v *= 0x7feb352du;
    v ^= v >> 15;
    v *= 0x846ca68bu;
    return v ^ v >> 16;
}

// One level: every vertex of the frontier lowers the distance of `degree` others.
extern "C" __global__ void bfs_level(const unsigned* frontier, unsigned* distance, unsigned mask, int degree,
                                     unsigned level)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (frontier[i] & 3)
        return;
    for (int e = 0; e < degree; ++e) {
        const unsigned other = hash(i * degree + e) & mask;
        if (distance[other] > level + 1)
            atomicMin(&distance[other], level + 1);
    }
}

extern "C" __global__ void gelu_half2(const half2* in, half2* out, int n)
{
    const half2 one = __float2half2_rn(1.0f);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const half2 x = in[i];
        const half2 cubic = __hfma2(__hmul2(x, x), __float2half2_rn(0.0713548f), __float2half2_rn(1.5957691f));
        out[i] = __h2div(x, __hadd2(one, h2exp(__hneg2(__hmul2(x, cubic)))));
    }
}

// A warp a row; eight weights of four bits a word, 8 stands for zero.
extern "C" __global__ void int4_gemv(const unsigned* weights, const float4* x, const float* scales, float* y, int words)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = lane; i < words; i += 32) {
        const unsigned w = weights[row * words + i];
        const float4 a = x[2 * i], b = x[2 * i + 1];
        sum += (int(w & 15) - 8) * a.x + (int(w >> 4 & 15) - 8) * a.y + (int(w >> 8 & 15) - 8) * a.z +
               (int(w >> 12 & 15) - 8) * a.w + (int(w >> 16 & 15) - 8) * b.x + (int(w >> 20 & 15) - 8) * b.y +
               (int(w >> 24 & 15) - 8) * b.z + (int(w >> 28) - 8) * b.w;
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum * scales[row];
}

// The eight largest of a row of 256, a warp a row; of equals the first.
extern "C" __global__ void topk_warp(const float* in, float* values, int* places)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float v[8];
#pragma unroll
    for (int j = 0; j < 8; ++j)
        v[j] = in[row * 256 + j * 32 + lane];
    for (int k = 0; k < 8; ++k) {
        float best = v[0];
        int place = lane;
#pragma unroll
        for (int j = 1; j < 8; ++j)
            if (v[j] > best) {
                best = v[j];
                place = j * 32 + lane;
            }
#pragma unroll
        for (int d = 16; d > 0; d /= 2) {
            const float other = __shfl_xor_sync(~0u, best, d);
            const int there = __shfl_xor_sync(~0u, place, d);
            if (other > best || (other == best && there < place)) {
                best = other;
                place = there;
            }
        }
#pragma unroll
        for (int j = 0; j < 8; ++j)
            if (place == j * 32 + lane)
                v[j] = -INFINITY;
        if (lane == 0) {
            values[row * 8 + k] = best;
            places[row * 8 + k] = place;
        }
    }
}

extern "C" __global__ void insertion_sort(const int* in, int* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    int v[16];
    for (int k = 0; k < 16; ++k) {
        const int item = in[k * threads + i];
        int at = k;
        while (at > 0 && v[at - 1] > item) {
            v[at] = v[at - 1];
            --at;
        }
        v[at] = item;
    }
    for (int k = 0; k < 16; ++k)
        out[k * threads + i] = v[k];
}

extern "C" __global__ void crc32(const unsigned* data, unsigned* sums, int words)
{
    __shared__ unsigned table[256];
    unsigned entry = threadIdx.x;
    for (int k = 0; k < 8; ++k)
        entry = entry & 1 ? entry >> 1 ^ 0xedb88320u : entry >> 1;
    table[threadIdx.x] = entry;
    __syncthreads();
    const int i = blockIdx.x * 256 + threadIdx.x, threads = gridDim.x * 256;
    unsigned crc = ~0u;
    for (int w = 0; w < words; ++w) {
        unsigned word = data[w * threads + i];
        for (int k = 0; k < 4; ++k) {
            crc = crc >> 8 ^ table[(crc ^ word) & 255];
            word >>= 8;
        }
    }
    sums[i] = ~crc;
}

extern "C" __global__ void dot_pipeline(const float4* a, const float4* b, float* sums, int tiles)
{
    __shared__ float4 as[3][256], bs[3][256];
    __shared__ float part[8];
    const int t = threadIdx.x;
    const auto fetch = [&](int tile) {
        if (tile < tiles) {
            const int at = (blockIdx.x * tiles + tile) * 256 + t;
            const unsigned x = static_cast<unsigned>(__cvta_generic_to_shared(&as[tile % 3][t]));
            const unsigned y = static_cast<unsigned>(__cvta_generic_to_shared(&bs[tile % 3][t]));
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(x), "l"(a + at) : "memory");
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(y), "l"(b + at) : "memory");
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    fetch(0);
    fetch(1);
    float sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        fetch(tile + 2);
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
        const float4 x = as[tile % 3][t], y = bs[tile % 3][255 - t];
        sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
        __syncthreads();
    }
    sum = block_sum(sum, part);
    if (t == 0)
        sums[blockIdx.x] = sum;
}

// Blocks take the next tile of 256 until none is left; tiles take 4 to 32 rounds.
extern "C" __global__ void work_queue(const float* in, float* out, unsigned* next, unsigned tiles)
{
    __shared__ unsigned claimed;
    for (;;) {
        if (threadIdx.x == 0)
            claimed = atomicAdd(next, 1u);
        __syncthreads();
        const unsigned tile = claimed;
        __syncthreads();
        if (tile >= tiles)
            return;
        const int rounds = 4 * (1 + (hash(tile) & 7));
        for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
            const float x = in[tile * 256 + i];
            float v = x;
            for (int k = 0; k < rounds; ++k)
                v = 0.25f * v * v + 0.5f * x;
            out[tile * 256 + i] = v;
        }
    }
}

extern "C" __global__ void avg_pool(const float2* in, float* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width || y >= height)
        return;
    const float2 a = in[2 * y * width + x], b = in[(2 * y + 1) * width + x];
    out[y * width + x] = 0.25f * (a.x + a.y + b.x + b.y);
}

extern "C" __global__ void column_sum(const float* in, float* sums, int rows, int cols)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols)
        return;
    float sum = 0;
    for (int row = 0; row < rows; ++row)
        sum += in[row * cols + col];
    sums[col] = sum;
}

// By the 2 x 2 minors of the upper and lower halves; 4 on the diagonal keeps it regular.
extern "C" __global__ void inverse4x4(const float4* in, float4* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 a = in[4 * i], b = in[4 * i + 1], c = in[4 * i + 2], d = in[4 * i + 3];
    a.x += 4;
    b.y += 4;
    c.z += 4;
    d.w += 4;
    const float s0 = a.x * b.y - b.x * a.y, s1 = a.x * b.z - b.x * a.z, s2 = a.x * b.w - b.x * a.w;
    const float s3 = a.y * b.z - b.y * a.z, s4 = a.y * b.w - b.y * a.w, s5 = a.z * b.w - b.z * a.w;
    const float c5 = c.z * d.w - d.z * c.w, c4 = c.y * d.w - d.y * c.w, c3 = c.y * d.z - d.y * c.z;
    const float c2 = c.x * d.w - d.x * c.w, c1 = c.x * d.z - d.x * c.z, c0 = c.x * d.y - d.x * c.y;
    const float r = 1.0f / (s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0);
    out[4 * i] = make_float4((b.y * c5 - b.z * c4 + b.w * c3) * r, (-a.y * c5 + a.z * c4 - a.w * c3) * r,
                             (d.y * s5 - d.z * s4 + d.w * s3) * r, (-c.y * s5 + c.z * s4 - c.w * s3) * r);
    out[4 * i + 1] = make_float4((-b.x * c5 + b.z * c2 - b.w * c1) * r, (a.x * c5 - a.z * c2 + a.w * c1) * r,
                                 (-d.x * s5 + d.z * s2 - d.w * s1) * r, (c.x * s5 - c.z * s2 + c.w * s1) * r);
    out[4 * i + 2] = make_float4((b.x * c4 - b.y * c2 + b.w * c0) * r, (-a.x * c4 + a.y * c2 - a.w * c0) * r,
                                 (d.x * s4 - d.y * s2 + d.w * s0) * r, (-c.x * s4 + c.y * s2 - c.w * s0) * r);
    out[4 * i + 3] = make_float4((-b.x * c3 + b.y * c1 - b.z * c0) * r, (a.x * c3 - a.y * c1 + a.z * c0) * r,
                                 (-d.x * s3 + d.y * s1 - d.z * s0) * r, (c.x * s3 - c.y * s1 + c.z * s0) * r);
}

extern "C" __global__ void complex_mul(const float2* a, const float2* b, float2* c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float2 x = a[i], y = b[i];
        c[i] = make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
    }
}

extern "C" __global__ void daxpy(const double* x, double* y, double a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// The place of a row's largest, of equals the first; blocks of 256.
extern "C" __global__ void argmax_row(const float* in, int* places, int cols)
{
    __shared__ float best[256];
    __shared__ int place[256];
    const int t = threadIdx.x;
    float top = -INFINITY;
    int where = 0;
    for (int i = t; i < cols; i += 256) {
        const float v = in[blockIdx.x * cols + i];
        if (v > top) {
            top = v;
            where = i;
        }
    }
    best[t] = top;
    place[t] = where;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d && (best[t + d] > best[t] || (best[t + d] == best[t] && place[t + d] < place[t]))) {
            best[t] = best[t + d];
            place[t] = place[t + d];
        }
        __syncthreads();
    }
    if (t == 0)
        places[blockIdx.x] = place[0];
}

extern "C" __global__ void bank_conflict(const float* in, float* out, int stride, int rounds)
{
    __shared__ float s[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        s[i] = in[i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < rounds; ++k)
        sum += s[(threadIdx.x * stride + k) & 2047];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// A warp a row, eight at a time a lane.
extern "C" __global__ void matvec_bf16(const uint4* a, const uint4* x, float* y, int rows, int eighths)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = lane; i < eighths; i += 32) {
        const uint4 v = a[row * eighths + i], w = x[i];
        const __nv_bfloat162* p = reinterpret_cast<const __nv_bfloat162*>(&v);
        const __nv_bfloat162* q = reinterpret_cast<const __nv_bfloat162*>(&w);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float2 f = __bfloat1622float2(p[k]), g = __bfloat1622float2(q[k]);
            sum += f.x * g.x + f.y * g.y;
        }
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}
