// SPDX-License-Identifier: GPL-3.0-or-later
// A set measured once, on kernels that no version of the model had seen. Nothing in the model may be fitted to it.
// What is launched how stands in manifest.json. make.sh makes blind.ptx, which is what GPU and simulator run.
// One file, long as it is: the PTX that it becomes is the key of what GPUs were recorded with.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

extern "C" __global__ void add_int4(const int4* a, const int4* b, int4* c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int4 x = a[i], y = b[i];
    c[i] = make_int4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

// Blocks of 32 x 6; what lies outside counts as zero.
extern "C" __global__ void heat2d(const float* now, float* next, float rate, int width, int height)
{
    __shared__ float tile[8][34];
    const int left = blockIdx.x * 32 - 1, top = blockIdx.y * 6 - 1;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 8 * 34; i += 192) {
        const int x = left + i % 34, y = top + i / 34;
        tile[i / 34][i % 34] = x >= 0 && y >= 0 && x < width && y < height ? now[y * width + x] : 0.0f;
    }
    __syncthreads();
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = left + tx, y = top + ty;
    if (x >= width || y >= height)
        return;
    const float here = tile[ty][tx];
    const float around = tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1];
    next[y * width + x] = here + rate * (around - 4.0f * here);
}

// One 48 x 48 matrix a block of 96, no pivoting.
extern "C" __global__ void lu_small(const float* in, float* out)
{
    __shared__ float m[48][49];
    const int t = threadIdx.x;
    for (int i = t; i < 48 * 48; i += 96)
        m[i / 48][i % 48] = in[blockIdx.x * 2304 + i] + (i / 48 == i % 48 ? 48.0f : 0.0f);
    __syncthreads();
    for (int k = 0; k < 47; ++k) {
        if (t > k && t < 48)
            m[t][k] /= m[k][k];
        __syncthreads();
        const int col = t % 48;
        if (col > k)
            for (int row = k + 1 + t / 48; row < 48; row += 2)
                m[row][col] -= m[row][k] * m[k][col];
        __syncthreads();
    }
    for (int i = t; i < 48 * 48; i += 96)
        out[blockIdx.x * 2304 + i] = m[i / 48][i % 48];
}

// 12 coordinates, one plane each; 40 centres; also counts how many points a centre has got.
extern "C" __global__ void kmeans_assign(const float* points, const float* centres, unsigned char* label,
                                         unsigned* members, int n)
{
    __shared__ float c[40][12];
    __shared__ unsigned count[40];
    for (int i = threadIdx.x; i < 480; i += blockDim.x)
        c[i / 12][i % 12] = centres[i];
    if (threadIdx.x < 40)
        count[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float p[12];
#pragma unroll
        for (int d = 0; d < 12; ++d)
            p[d] = points[d * n + i];
        float least = 1e30f;
        int nearest = 0;
        for (int k = 0; k < 40; ++k) {
            float distance = 0;
#pragma unroll
            for (int d = 0; d < 12; ++d) {
                const float e = p[d] - c[k][d];
                distance += e * e;
            }
            if (distance < least) {
                least = distance;
                nearest = k;
            }
        }
        label[i] = static_cast<unsigned char>(nearest);
        atomicAdd(&count[nearest], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 40)
        atomicAdd(&members[threadIdx.x], count[threadIdx.x]);
}

// Cheapest way down a wall: several rows a launch, blocks of 256 overlap by as many columns on either side.
extern "C" __global__ void path_dp(const unsigned* wall, const unsigned* first, unsigned* best, int cols, int steps)
{
    __shared__ unsigned row[2][256];
    const int t = threadIdx.x, x = blockIdx.x * (256 - 2 * steps) + t - steps;
    const bool inside = x >= 0 && x < cols;
    row[0][t] = inside ? first[x] & 15 : 0;
    row[1][t] = 0;
    int now = 0;
    for (int s = 0; s < steps; ++s) {
        __syncthreads();
        if (inside && t > s && t < 255 - s) {
            unsigned cost = row[now][t];
            if (x > 0)
                cost = min(cost, row[now][t - 1]);
            if (x < cols - 1)
                cost = min(cost, row[now][t + 1]);
            row[1 - now][t] = cost + (wall[s * cols + x] & 15);
        }
        now = 1 - now;
    }
    __syncthreads();
    if (inside && t >= steps && t < 256 - steps)
        best[x] = row[now][t];
}

// Boxes of 64 bodies against their neighbours, as far as the cutoff reaches.
extern "C" __global__ void pair_cutoff(const float4* bodies, float4* forces, float cutoff2)
{
    __shared__ float4 other[64];
    const int bx = blockIdx.x, by = blockIdx.y, bz = blockIdx.z, t = threadIdx.x;
    const int nx = gridDim.x, ny = gridDim.y, nz = gridDim.z, home = (bz * ny + by) * nx + bx;
    const float4 raw = bodies[home * 64 + t];
    const float px = bx + 0.5f * raw.x, py = by + 0.5f * raw.y, pz = bz + 0.5f * raw.z;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int z = max(bz - 1, 0); z <= min(bz + 1, nz - 1); ++z)
        for (int y = max(by - 1, 0); y <= min(by + 1, ny - 1); ++y)
            for (int x = max(bx - 1, 0); x <= min(bx + 1, nx - 1); ++x) {
                __syncthreads();
                const float4 b = bodies[((z * ny + y) * nx + x) * 64 + t];
                other[t] = make_float4(x + 0.5f * b.x, y + 0.5f * b.y, z + 0.5f * b.z, b.w);
                __syncthreads();
                for (int j = 0; j < 64; ++j) {
                    const float4 o = other[j];
                    const float dx = px - o.x, dy = py - o.y, dz = pz - o.z;
                    const float r2 = dx * dx + dy * dy + dz * dz;
                    if (r2 < cutoff2) {
                        const float pull = o.w * expf(-2.0f * r2);
                        sum.x += pull * dx;
                        sum.y += pull * dy;
                        sum.z += pull * dz;
                        sum.w += pull;
                    }
                }
            }
    forces[home * 64 + t] = sum;
}

// Philox 4 x 32, ten rounds, as a true call.
static __device__ __noinline__ uint4 philox(uint4 c, unsigned k0, unsigned k1)
{
#pragma unroll
    for (int r = 0; r < 10; ++r) {
        const unsigned h0 = __umulhi(0xd2511f53u, c.x), l0 = 0xd2511f53u * c.x;
        const unsigned h1 = __umulhi(0xcd9e8d57u, c.z), l1 = 0xcd9e8d57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return c;
}

// An Asian call: one path a thread, four normal steps a draw.
extern "C" __global__ void mc_asian(float* payoff, unsigned seed, int draws, float drift, float spread, float strike)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float price = 1.0f, total = 0;
    for (int k = 0; k < draws; ++k) {
        const uint4 u = philox(make_uint4(i, k, 0, 0), seed, 0x5eedu);
        const float r0 = sqrtf(-2.0f * logf((u.x + 1.0f) * 2.3283064e-10f));
        const float r1 = sqrtf(-2.0f * logf((u.z + 1.0f) * 2.3283064e-10f));
        const float a0 = u.y * 1.4629181e-9f, a1 = u.w * 1.4629181e-9f;
        const float step[4] = {r0 * __cosf(a0), r0 * __sinf(a0), r1 * __cosf(a1), r1 * __sinf(a1)};
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            price *= __expf(drift + spread * step[j]);
            total += price;
        }
    }
    payoff[i] = fmaxf(total / (4 * draws) - strike, 0.0f);
}

// The last pass of a scan: every block adds up the totals before it and scans its 2048 numbers; blocks of 1024.
extern "C" __global__ void scan_chunks(const uint2* in, const unsigned* totals, uint2* out)
{
    __shared__ unsigned part[32], sums[32];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned before = 0;
    for (unsigned i = t; i < blockIdx.x; i += 1024)
        before += totals[i];
    before = __reduce_add_sync(~0u, before);
    const uint2 v = in[blockIdx.x * 1024 + t];
    unsigned scan = v.x + v.y;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const unsigned o = __shfl_up_sync(~0u, scan, d);
        if (lane >= d)
            scan += o;
    }
    if (lane == 0)
        sums[warp] = before;
    if (lane == 31)
        part[warp] = scan;
    __syncthreads();
    if (warp == 0) {
        unsigned p = part[lane];
        const unsigned own = p, base = __reduce_add_sync(~0u, sums[lane]);
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const unsigned o = __shfl_up_sync(~0u, p, d);
            if (lane >= d)
                p += o;
        }
        part[lane] = base + p - own;
    }
    __syncthreads();
    const unsigned start = part[warp] + scan - v.x - v.y;
    out[blockIdx.x * 1024 + t] = make_uint2(start, start + v.x);
}

// A stable pass by four bits: 1024 keys a block of 256, each digit of each block into a bucket of its own.
extern "C" __global__ void radix_scatter(const unsigned* keys, unsigned* buckets, unsigned* sizes, int shift)
{
    __shared__ unsigned count[8][16];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t < 128)
        count[t / 16][t % 16] = 0;
    __syncthreads();
    unsigned key[4], rank[4];
#pragma unroll
    for (int j = 0; j < 4; ++j)
        key[j] = keys[blockIdx.x * 1024 + warp * 128 + j * 32 + lane];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const unsigned digit = key[j] >> shift & 15, same = __match_any_sync(~0u, digit);
        const unsigned lower = __popc(same & ((1u << lane) - 1)), base = count[warp][digit];
        rank[j] = base + lower;
        __syncwarp();
        if (lower == 0)
            count[warp][digit] = base + __popc(same);
        __syncwarp();
    }
    __syncthreads();
    if (t < 16) {
        unsigned sum = 0;
        for (int w = 0; w < 8; ++w) {
            const unsigned c = count[w][t];
            count[w][t] = sum;
            sum += c;
        }
        sizes[t * gridDim.x + blockIdx.x] = sum;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const unsigned digit = key[j] >> shift & 15;
        buckets[(digit * gridDim.x + blockIdx.x) * 1024 + count[warp][digit] + rank[j]] = key[j];
    }
}

// Two sorted lists (multiples of 3 and of 5) into one, eight a thread.
extern "C" __global__ void merge_path(const unsigned* a, const unsigned* b, uint4* out, int na, int nb)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, diagonal = 8 * i;
    if (diagonal >= na + nb)
        return;
    int low = max(0, diagonal - nb), high = min(diagonal, na);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a[middle] * 3 <= b[diagonal - 1 - middle] * 5)
            low = middle + 1;
        else
            high = middle;
    }
    int ia = low, ib = diagonal - low;
    unsigned va = ia < na ? a[ia] * 3 : ~0u, vb = ib < nb ? b[ib] * 5 : ~0u, merged[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        if (va <= vb) {
            merged[k] = va;
            ++ia;
            va = ia < na ? a[ia] * 3 : ~0u;
        } else {
            merged[k] = vb;
            ++ib;
            vb = ib < nb ? b[ib] * 5 : ~0u;
        }
    }
    out[2 * i] = make_uint4(merged[0], merged[1], merged[2], merged[3]);
    out[2 * i + 1] = make_uint4(merged[4], merged[5], merged[6], merged[7]);
}

// A warp a row, one look for top and sum together.
extern "C" __global__ void softmax_half2(const half2* in, half2* out, int rows, int pairs)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const half2* x = in + row * pairs;
    float top = -1e30f, sum = 0;
    for (int i = lane; i < pairs; i += 32) {
        const float2 v = __half22float2(x[i]);
        const float higher = fmaxf(top, fmaxf(v.x, v.y));
        sum = sum * __expf(top - higher) + __expf(v.x - higher) + __expf(v.y - higher);
        top = higher;
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        const float t = __shfl_xor_sync(~0u, top, d), s = __shfl_xor_sync(~0u, sum, d), higher = fmaxf(top, t);
        sum = sum * __expf(top - higher) + s * __expf(t - higher);
        top = higher;
    }
    const float scale = __fdividef(1.0f, sum);
    for (int i = lane; i < pairs; i += 32) {
        const float2 v = __half22float2(x[i]);
        out[row * pairs + i] = __floats2half2_rn(__expf(v.x - top) * scale, __expf(v.y - top) * scale);
    }
}

// A block a channel of n x channels x area.
extern "C" __global__ void batchnorm_stats(const float* in, float* mean, float* inverse, int n, int channels, int area)
{
    __shared__ float2 part[32];
    float sum = 0, square = 0;
    for (int image = 0; image < n; ++image)
        for (int i = threadIdx.x; i < area; i += blockDim.x) {
            const float v = in[(image * channels + blockIdx.x) * area + i];
            sum += v;
            square += v * v;
        }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_down_sync(~0u, sum, d);
        square += __shfl_down_sync(~0u, square, d);
    }
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = make_float2(sum, square);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < int(blockDim.x / 32); ++w) {
            sum += part[w].x;
            square += part[w].y;
        }
        const float m = sum / (n * area);
        mean[blockIdx.x] = m;
        inverse[blockIdx.x] = rsqrtf(square / (n * area) - m * m + 1e-5f);
    }
}

static __device__ unsigned char mix4(unsigned a, unsigned b, unsigned c, unsigned d, float fx, float fy)
{
    const float top = a + fx * (float(b) - float(a)), bottom = c + fx * (float(d) - float(c));
    return static_cast<unsigned char>(top + fy * (bottom - top) + 0.5f);
}

extern "C" __global__ void bilinear_rgba(const uchar4* in, uchar4* out, int inWidth, int inHeight, int outWidth,
                                         int outHeight)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= outWidth || y >= outHeight)
        return;
    const float sx = fmaxf((x + 0.5f) * inWidth / outWidth - 0.5f, 0.0f);
    const float sy = fmaxf((y + 0.5f) * inHeight / outHeight - 0.5f, 0.0f);
    const int x0 = min(int(sx), inWidth - 1), y0 = min(int(sy), inHeight - 1);
    const int x1 = min(x0 + 1, inWidth - 1), y1 = min(y0 + 1, inHeight - 1);
    const float fx = sx - x0, fy = sy - y0;
    const uchar4 a = in[y0 * inWidth + x0], b = in[y0 * inWidth + x1];
    const uchar4 c = in[y1 * inWidth + x0], d = in[y1 * inWidth + x1];
    out[y * outWidth + x] = make_uchar4(mix4(a.x, b.x, c.x, d.x, fx, fy), mix4(a.y, b.y, c.y, d.y, fx, fy),
                                        mix4(a.z, b.z, c.z, d.z, fx, fy), mix4(a.w, b.w, c.w, d.w, fx, fy));
}

// 32 queries a block of 128, four threads a query; head dimension 32, causal; blockIdx.y is the head.
extern "C" __global__ void flash_tile(const float* q, const float* k, const float* v, float* out, int length)
{
    __shared__ float qs[32][33], ks[32][33], vs[32][33], ps[32][33];
    const int t = threadIdx.x, r = t / 4, part = t % 4, head = blockIdx.y * length * 32, first = blockIdx.x * 32;
    for (int i = t; i < 1024; i += 128)
        qs[i / 32][i % 32] = q[head + first * 32 + i] * 0.17677669f;
    float top = -1e30f, total = 0, sum[8] = {};
    for (int tile = 0; tile <= first; tile += 32) {
        __syncthreads();
        for (int i = t; i < 1024; i += 128) {
            ks[i / 32][i % 32] = k[head + tile * 32 + i];
            vs[i / 32][i % 32] = v[head + tile * 32 + i];
        }
        __syncthreads();
        float s[8] = {}, higher = top;
#pragma unroll 8
        for (int d = 0; d < 32; ++d) {
            const float x = qs[r][d];
#pragma unroll
            for (int j = 0; j < 8; ++j)
                s[j] += x * ks[part + 4 * j][d];
        }
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            if (tile + part + 4 * j > first + r)
                s[j] = -1e30f;
            higher = fmaxf(higher, s[j]);
        }
        higher = fmaxf(higher, __shfl_xor_sync(~0u, higher, 1));
        higher = fmaxf(higher, __shfl_xor_sync(~0u, higher, 2));
        const float shrink = __expf(top - higher);
        top = higher;
        total *= shrink;
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const float p = __expf(s[j] - top);
            total += p;
            ps[r][part + 4 * j] = p;
            sum[j] *= shrink;
        }
        __syncwarp();
#pragma unroll 4
        for (int j = 0; j < 32; ++j) {
            const float p = ps[r][j];
#pragma unroll
            for (int d = 0; d < 8; ++d)
                sum[d] += p * vs[j][part + 4 * d];
        }
    }
    total += __shfl_xor_sync(~0u, total, 1);
    total += __shfl_xor_sync(~0u, total, 2);
#pragma unroll
    for (int d = 0; d < 8; ++d)
        out[head + (first + r) * 32 + part + 4 * d] = sum[d] / total;
}

// Rows of gate and up side by side; eight bfloat16 at a time; blockIdx.y is the row.
extern "C" __global__ void swiglu(const uint4* in, const uint4* bias, uint4* out, int eighths)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= eighths)
        return;
    const uint4 gate = in[blockIdx.y * 2 * eighths + i], up = in[(blockIdx.y * 2 + 1) * eighths + i], offset = bias[i];
    uint4 result;
    const __nv_bfloat162* g = reinterpret_cast<const __nv_bfloat162*>(&gate);
    const __nv_bfloat162* u = reinterpret_cast<const __nv_bfloat162*>(&up);
    const __nv_bfloat162* b = reinterpret_cast<const __nv_bfloat162*>(&offset);
    __nv_bfloat162* r = reinterpret_cast<__nv_bfloat162*>(&result);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float2 x = __bfloat1622float2(g[k]);
        const float2 y = __bfloat1622float2(u[k]), z = __bfloat1622float2(b[k]);
        x.x += z.x;
        x.y += z.y;
        r[k] = __floats2bfloat162_rn(x.x / (1.0f + __expf(-x.x)) * y.x, x.y / (1.0f + __expf(-x.y)) * y.y);
    }
    out[blockIdx.y * eighths + i] = result;
}

// One query against keys and values in pages of 16 tokens; a block of four warps a sequence, 64 numbers a token.
extern "C" __global__ void kv_gather(const half2* query, const half2* keys, const half2* values, const unsigned* table,
                                     float2* out, unsigned mask, int pages)
{
    __shared__ float tops[4], totals[4];
    __shared__ float2 sums[4][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const float2 q = __half22float2(query[blockIdx.x * 32 + lane]);
    float top = -1e30f, total = 0;
    float2 sum = make_float2(0, 0);
    for (int p = warp; p < pages; p += 4) {
        const unsigned page = table[blockIdx.x * pages + p] & mask;
#pragma unroll 4
        for (int token = 0; token < 16; ++token) {
            const unsigned at = (page * 16 + token) * 32 + lane;
            const float2 k = __half22float2(keys[at]), v = __half22float2(values[at]);
            float score = q.x * k.x + q.y * k.y;
#pragma unroll
            for (int d = 16; d > 0; d /= 2)
                score += __shfl_xor_sync(~0u, score, d);
            const float higher = fmaxf(top, score), shrink = __expf(top - higher), weight = __expf(score - higher);
            top = higher;
            total = total * shrink + weight;
            sum.x = sum.x * shrink + weight * v.x;
            sum.y = sum.y * shrink + weight * v.y;
        }
    }
    sums[warp][lane] = sum;
    if (lane == 0) {
        tops[warp] = top;
        totals[warp] = total;
    }
    __syncthreads();
    if (warp == 0) {
        const float all = fmaxf(fmaxf(tops[0], tops[1]), fmaxf(tops[2], tops[3]));
        total = 0;
        sum = make_float2(0, 0);
        for (int w = 0; w < 4; ++w) {
            const float scale = __expf(tops[w] - all);
            total += totals[w] * scale;
            sum.x += sums[w][lane].x * scale;
            sum.y += sums[w][lane].y * scale;
        }
        out[blockIdx.x * 32 + lane] = make_float2(sum.x / total, sum.y / total);
    }
}

// Sum over a block of 192.
static __device__ float sum192(float v, float* part)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    return part[0] + part[1] + part[2] + part[3] + part[4] + part[5];
}

// Keeps the likeliest of a row of 3000 that make up a share of the whole; looks for the bar by halving, 14 times.
extern "C" __global__ void top_p(const float* logits, float* kept, float share)
{
    __shared__ float p[3000], part[6];
    const int t = threadIdx.x;
    float mass = 0;
    for (int i = t; i < 3000; i += 192) {
        p[i] = expf(3.0f * logits[blockIdx.x * 3000 + i]);
        mass += p[i];
    }
    mass = sum192(mass, part);
    float low = 0, high = 21.0f;
    for (int k = 0; k < 14; ++k) {
        const float bar = 0.5f * (low + high);
        float above = 0;
        for (int i = t; i < 3000; i += 192)
            if (p[i] >= bar)
                above += p[i];
        if (sum192(above, part) >= share * mass)
            low = bar;
        else
            high = bar;
    }
    const float scale = 1.0f / (share * mass);
    for (int i = t; i < 3000; i += 192)
        kept[blockIdx.x * 3000 + i] = p[i] >= low ? p[i] * scale : 0.0f;
}

// Sums that stop at a limit, by compare and swap; a table a warp, four warps a block.
extern "C" __global__ void cas_saturate(const unsigned* in, unsigned* sums, unsigned limit, int rounds)
{
    __shared__ unsigned table[4][64];
    const int t = threadIdx.x, warp = t / 32;
    for (int i = t; i < 256; i += 128)
        table[i / 64][i % 64] = 0;
    __syncthreads();
    for (int k = 0; k < rounds; ++k) {
        const unsigned v = in[(blockIdx.x * rounds + k) * 128 + t];
        unsigned* slot = &table[warp][v & 63];
        unsigned seen = *reinterpret_cast<volatile unsigned*>(slot), expected;
        __syncwarp();
        do {
            expected = seen;
            seen = atomicCAS(slot, expected, min(expected + (v >> 8 & 255 | 1), limit));
        } while (seen != expected);
        __syncwarp();
    }
    __syncthreads();
    if (t < 64)
        atomicAdd(&sums[t], table[0][t] + table[1][t] + table[2][t] + table[3][t]);
}

// A warp a row, 16 weights at a time, a scale for every 128; the vector lies in shared memory as floats.
extern "C" __global__ void gemv_dequant(const int4* weights, const half* scales, const half* x, half* y, int cols)
{
    extern __shared__ __align__(16) float xs[];
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        xs[i] = __half2float(x[i]);
    __syncthreads();
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = lane; i < cols / 16; i += 32) {
        const int4 w = weights[row * (cols / 16) + i];
        const int words[4] = {w.x, w.y, w.z, w.w};
        float group = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float4 v = *reinterpret_cast<const float4*>(xs + 16 * i + 4 * k);
            const char4 b = *reinterpret_cast<const char4*>(&words[k]);
            group += b.x * v.x + b.y * v.y + b.z * v.z + b.w * v.w;
        }
        sum += group * __half2float(scales[row * (cols / 128) + i / 8]);
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = __float2half(sum * 0.001f);
}

// 64 x 64 of c a block of 256, 4 x 4 a thread; blockIdx.z takes its share of k.
extern "C" __global__ void gemm_split_k(const float* a, const float* b, float* c, int n, int k, int share)
{
    __shared__ float as[64][17], bs[16][64];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, row = blockIdx.y * 64, col = blockIdx.x * 64;
    const int from = blockIdx.z * share;
    float sum[4][4] = {};
    for (int k0 = from; k0 < from + share; k0 += 16) {
        for (int i = t; i < 1024; i += 256) {
            as[i / 16][i % 16] = a[(row + i / 16) * k + k0 + i % 16];
            bs[i / 64][i % 64] = b[(k0 + i / 64) * n + col + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 16; ++kk) {
            float x[4], y[4];
            for (int i = 0; i < 4; ++i) {
                x[i] = as[ty + 16 * i][kk];
                y[i] = bs[kk][tx + 16 * i];
            }
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            atomicAdd(&c[(row + ty + 16 * i) * n + col + tx + 16 * j], sum[i][j]);
}

// c = a^T * b; 128 x 128 of c a block, 8 x 8 a thread in four squares.
extern "C" __global__ void __launch_bounds__(256, 2)
    sgemm_tn(const float* a, const float* b, float* c, int m, int n, int k)
{
    __shared__ __align__(16) float as[8][128], bs[8][128];
    const int t = threadIdx.x, tx = t % 16 * 4, ty = t / 16 * 4, row = blockIdx.y * 128, col = blockIdx.x * 128;
    const int ly = t / 32, lx = t % 32 * 4;
    float sum[8][8] = {};
    for (int k0 = 0; k0 < k; k0 += 8) {
        const float4 fa = *reinterpret_cast<const float4*>(a + (k0 + ly) * m + row + lx);
        const float4 fb = *reinterpret_cast<const float4*>(b + (k0 + ly) * n + col + lx);
        __syncthreads();
        *reinterpret_cast<float4*>(&as[ly][lx]) = fa;
        *reinterpret_cast<float4*>(&bs[ly][lx]) = fb;
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 8; ++kk) {
            float x[8], y[8];
            *reinterpret_cast<float4*>(x) = *reinterpret_cast<const float4*>(&as[kk][ty]);
            *reinterpret_cast<float4*>(x + 4) = *reinterpret_cast<const float4*>(&as[kk][64 + ty]);
            *reinterpret_cast<float4*>(y) = *reinterpret_cast<const float4*>(&bs[kk][tx]);
            *reinterpret_cast<float4*>(y + 4) = *reinterpret_cast<const float4*>(&bs[kk][64 + tx]);
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    sum[i][j] += x[i] * y[j];
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        float* to = c + (row + i / 4 * 64 + ty + i % 4) * n + col + tx;
        *reinterpret_cast<float4*>(to) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
        *reinterpret_cast<float4*>(to + 64) = make_float4(sum[i][4], sum[i][5], sum[i][6], sum[i][7]);
    }
}

// 128 x 128 of c a block of eight warps, 64 x 32 a warp; three stages of 32 on their way through dynamic shared memory.
extern "C" __global__ void __launch_bounds__(256)
    gemm_bf16_async(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int n, int k)
{
    using namespace nvcuda;
    extern __shared__ __align__(128) __nv_bfloat16 stages[];
    const int t = threadIdx.x, wy = t / 128 * 64, wx = t / 32 % 4 * 32, row = blockIdx.y * 128, col = blockIdx.x * 128;
    const auto fetch = [&](int k0) {
        if (k0 < k) {
            __nv_bfloat16* as = stages + k0 / 32 % 3 * 9472;
            __nv_bfloat16* bs = as + 128 * 40;
            for (int i = t; i < 512; i += 256) {
                const unsigned x = static_cast<unsigned>(__cvta_generic_to_shared(as + i / 4 * 40 + i % 4 * 8));
                const unsigned y = static_cast<unsigned>(__cvta_generic_to_shared(bs + i / 16 * 136 + i % 16 * 8));
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(x),
                             "l"(a + (row + i / 4) * k + k0 + i % 4 * 8)
                             : "memory");
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(y),
                             "l"(b + (k0 + i / 16) * n + col + i % 16 * 8)
                             : "memory");
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc[4][2];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j)
            wmma::fill_fragment(fc[i][j], 0.0f);
    fetch(0);
    fetch(32);
    for (int k0 = 0; k0 < k; k0 += 32) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        fetch(k0 + 64);
        const __nv_bfloat16* as = stages + k0 / 32 % 3 * 9472;
        const __nv_bfloat16* bs = as + 128 * 40;
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa[4];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb[2];
            for (int i = 0; i < 4; ++i)
                wmma::load_matrix_sync(fa[i], as + (wy + 16 * i) * 40 + kk, 40);
            for (int j = 0; j < 2; ++j)
                wmma::load_matrix_sync(fb[j], bs + kk * 136 + wx + 16 * j, 136);
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 2; ++j)
                    wmma::mma_sync(fc[i][j], fa[i], fb[j], fc[i][j]);
        }
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(c + (row + wy + 16 * i) * n + col + wx + 16 * j, fc[i][j], n, wmma::mem_row_major);
}

__constant__ double starWeights[4] = {0.4, 0.1, 0.03, 0.02};

// A star of 13 points; a rim of three stays as it is.
extern "C" __global__ void star_double(const double* __restrict__ in, double* __restrict__ out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 3 || y < 3 || x >= width - 3 || y >= height - 3)
        return;
    const double* p = in + y * width + x;
    double sum = starWeights[0] * p[0];
#pragma unroll
    for (int d = 1; d <= 3; ++d)
        sum += starWeights[d] * (p[d] + p[-d] + p[d * width] + p[-d * width]);
    out[y * width + x] = sum;
}

// h = a * h + b along a row, 256 at a time, after Kogge and Stone; a block a row.
extern "C" __global__ void linear_recurrence(const float* a, const float* b, float* h, int length)
{
    __shared__ float2 s[2][256];
    __shared__ float carried;
    const int t = threadIdx.x;
    if (t == 0)
        carried = 0;
    for (int at = 0; at < length; at += 256) {
        const int i = blockIdx.x * length + at + t;
        float2 v = make_float2(a[i], b[i]);
        int slot = 0;
        s[0][t] = v;
        __syncthreads();
        for (int d = 1; d < 256; d *= 2) {
            if (t >= d) {
                const float2 o = s[slot][t - d];
                v = make_float2(v.x * o.x, v.x * o.y + v.y);
            }
            slot = 1 - slot;
            s[slot][t] = v;
            __syncthreads();
        }
        const float value = v.x * carried + v.y;
        h[i] = value;
        __syncthreads();
        if (t == 255)
            carried = value;
    }
}

// Lanes with the same key add once; keys are far from even.
extern "C" __global__ void hist_match(const unsigned* in, unsigned* bins, int n)
{
    const int lane = threadIdx.x % 32;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned key = in[i] & in[i] >> 8 & 255, same = __match_any_sync(__activemask(), key);
        if (__ffs(same) - 1 == lane)
            atomicAdd(&bins[key], __popc(same));
    }
}

// Sum of squares and largest magnitude of all, two atomics a block.
extern "C" __global__ void norm_max(const float4* in, float* norm, int* largest, int quads)
{
    __shared__ float sums[32], tops[32];
    float sum = 0, top = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        const float4 v = in[i];
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
        top = fmaxf(top, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
        top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = sum;
        tops[threadIdx.x / 32] = top;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < int(blockDim.x / 32); ++w) {
            sum += sums[w];
            top = fmaxf(top, tops[w]);
        }
        atomicAdd(norm, sum);
        atomicMax(largest, __float_as_int(top));
    }
}

// The six nearest of a list of 128-bit codes, by bits that differ; one query a thread.
extern "C" __global__ void knn_hamming(const uint4* queries, const uint4* codes, unsigned* nearest, int n)
{
    __shared__ uint4 tile[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    const uint4 q = queries[i];
    unsigned best[6];
    for (int k = 0; k < 6; ++k)
        best[k] = ~0u;
    for (int base = 0; base < n; base += 64) {
        __syncthreads();
        tile[threadIdx.x] = codes[base + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 64; ++j) {
            const uint4 c = tile[j];
            const unsigned bits = __popc(q.x ^ c.x) + __popc(q.y ^ c.y) + __popc(q.z ^ c.z) + __popc(q.w ^ c.w);
            const unsigned item = bits << 16 | (base + j);
            if (item < best[5]) {
                int at = 5;
                while (at > 0 && best[at - 1] > item) {
                    best[at] = best[at - 1];
                    --at;
                }
                best[at] = item;
            }
        }
    }
    for (int k = 0; k < 6; ++k)
        nearest[i * 6 + k] = best[k];
}

static __device__ void quarter(unsigned& a, unsigned& b, unsigned& c, unsigned& d)
{
    a += b;
    d = __funnelshift_l(d ^ a, d ^ a, 16);
    c += d;
    b = __funnelshift_l(b ^ c, b ^ c, 12);
    a += b;
    d = __funnelshift_l(d ^ a, d ^ a, 8);
    c += d;
    b = __funnelshift_l(b ^ c, b ^ c, 7);
}

// ChaCha20, 64 bytes a thread.
extern "C" __global__ void chacha(const uint4* plain, const unsigned* key, uint4* secret, unsigned counter)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s[16] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u}, w[16];
#pragma unroll
    for (int k = 0; k < 8; ++k)
        s[4 + k] = key[k];
    s[12] = counter + i;
    s[13] = 0;
    s[14] = 7;
    s[15] = 9;
#pragma unroll
    for (int k = 0; k < 16; ++k)
        w[k] = s[k];
    for (int round = 0; round < 10; ++round) {
        quarter(w[0], w[4], w[8], w[12]);
        quarter(w[1], w[5], w[9], w[13]);
        quarter(w[2], w[6], w[10], w[14]);
        quarter(w[3], w[7], w[11], w[15]);
        quarter(w[0], w[5], w[10], w[15]);
        quarter(w[1], w[6], w[11], w[12]);
        quarter(w[2], w[7], w[8], w[13]);
        quarter(w[3], w[4], w[9], w[14]);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        uint4 v = plain[4 * i + k];
        v.x ^= w[4 * k] + s[4 * k];
        v.y ^= w[4 * k + 1] + s[4 * k + 1];
        v.z ^= w[4 * k + 2] + s[4 * k + 2];
        v.w ^= w[4 * k + 3] + s[4 * k + 3];
        secret[4 * i + k] = v;
    }
}

// A little machine with two registers; the program is the same for all, where it jumps depends on the data.
extern "C" __global__ void interpreter(const unsigned* program, const unsigned* in, unsigned* out, int steps)
{
    __shared__ unsigned code[64];
    if (threadIdx.x < 64)
        code[threadIdx.x] = program[threadIdx.x];
    __syncthreads();
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = in[i], b = i + 1, pc = 0;
    for (int s = 0; s < steps; ++s) {
        const unsigned word = code[pc & 63], operand = word >> 3 & 0xffff;
        ++pc;
        switch (word & 7) {
        case 0:
            a += operand;
            break;
        case 1:
            a = a * (2 * operand + 1) + b;
            break;
        case 2:
            b ^= a >> (operand & 15);
            break;
        case 3: {
            const unsigned keep = a;
            a = b;
            b = keep;
            break;
        }
        case 4:
            if (a & 1)
                pc += operand & 7;
            break;
        case 5:
            b = b / (operand | 1) + a;
            break;
        case 6:
            a = __brev(a) ^ operand;
            break;
        default:
            a = a > b ? a - b : __float_as_uint(sqrtf(float(b)));
        }
    }
    out[i] = a ^ b;
}

// Entries in any order within 64 rows of where they belong; one a thread.
extern "C" __global__ void spmv_coo(const float* values, const unsigned* rows, const unsigned* columns, const float* x,
                                    float* y, unsigned mask, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&y[i / 12 + (rows[i] & 63)], values[i] * x[columns[i] & mask]);
}
