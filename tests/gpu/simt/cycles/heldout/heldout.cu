// SPDX-License-Identifier: GPL-3.0-or-later
// Held-out set of the cycle comparison: nobody looks at a single one of these while working on the timing model. It is run once
// a version against a GPU and every point is reported (docs/validation-timing.md).
#include <cuda_fp16.h>

__constant__ float filter[49] = {0.5f, -0.25f, 0.125f, 1, -1, 0.75f, 2, 0.3f, -0.6f, 0.9f};

extern "C" __global__ void axpby_odd(const float* x, const float* y, float* z, float a, float b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = a * x[i] + b * y[i];
}

extern "C" __global__ void rmsnorm_half(const half2* in, const half2* gain, half2* out, int pairs)
{
    __shared__ float part[32];
    const half2* x = in + blockIdx.x * pairs;
    float sum = 0;
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        const float2 v = __half22float2(x[i]);
        sum += v.x * v.x + v.y * v.y;
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : 0;
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    const half2 scale = __float2half2_rn(rsqrtf(sum / (2 * pairs) + 1e-6f));
    for (int i = threadIdx.x; i < pairs; i += blockDim.x)
        out[blockIdx.x * pairs + i] = __hmul2(__hmul2(x[i], scale), gain[i]);
}

extern "C" __global__ void gemv_batched(const float* a, const float* x, float* y, int rows, int cols)
{
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    const float* m = a + (blockIdx.y * rows + row) * cols;
    float sum = 0;
    for (int i = lane; i < cols; i += 32)
        sum += m[i] * x[blockIdx.y * cols + i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        y[blockIdx.y * rows + row] = sum;
}

extern "C" __global__ void dgemm_tiled(const double* a, const double* b, double* c, int n)
{
    __shared__ double as[16][17], bs[16][17];
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    double sum = 0;
    for (int t = 0; t < n; t += 16) {
        as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

extern "C" __global__ void jacobi3d(const float* in, float* out, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    for (int z = 1; z < n - 1; ++z) {
        const int at = (z * n + y) * n + x;
        out[at] = (in[at - 1] + in[at + 1] + in[at - n] + in[at + n] + in[at - n * n] + in[at + n * n]) * (1 / 6.0f);
    }
}

extern "C" __global__ void bitonic(unsigned* data)
{
    __shared__ unsigned keys[1024];
    const unsigned t = threadIdx.x;
    keys[t] = data[blockIdx.x * 1024 + t];
    keys[t + 512] = data[blockIdx.x * 1024 + t + 512];
    for (unsigned size = 2; size <= 1024; size *= 2)
        for (unsigned gap = size / 2; gap > 0; gap /= 2) {
            __syncthreads();
            const unsigned low = 2 * gap * (t / gap) + t % gap, high = low + gap;
            const bool up = (low & size) == 0;
            const unsigned a = keys[low], b = keys[high];
            if ((a > b) == up) {
                keys[low] = b;
                keys[high] = a;
            }
        }
    __syncthreads();
    data[blockIdx.x * 1024 + t] = keys[t];
    data[blockIdx.x * 1024 + t + 512] = keys[t + 512];
}

// Rows of a length that the row itself tells: 4 to 35 entries, columns anywhere.
extern "C" __global__ void spmv(const float* values, const unsigned* columns, const float* x, float* y, unsigned mask,
                                int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const int length = 4 + (row * 2654435761u >> 27);
    float sum = 0;
    for (int i = 0; i < length; ++i)
        sum += values[row * 36 + i] * x[columns[row * 36 + i] & mask];
    y[row] = sum;
}

extern "C" __global__ void attention_head(const float* q, const float* k, const float* v, float* out, int keys)
{
    const int query = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const float q0 = q[query * 64 + lane], q1 = q[query * 64 + lane + 32];
    float top = -1e30f, sum = 0, o0 = 0, o1 = 0;
    for (int j = 0; j < keys; ++j) {
        float s = q0 * k[j * 64 + lane] + q1 * k[j * 64 + lane + 32];
        for (int d = 16; d > 0; d /= 2)
            s += __shfl_xor_sync(~0u, s, d);
        const float now = fmaxf(top, s), scale = __expf(top - now), p = __expf(s - now);
        sum = sum * scale + p;
        o0 = o0 * scale + p * v[j * 64 + lane];
        o1 = o1 * scale + p * v[j * 64 + lane + 32];
        top = now;
    }
    out[query * 64 + lane] = o0 / sum;
    out[query * 64 + lane + 32] = o1 / sum;
}

extern "C" __global__ void adamw(float4* w, const float4* g, float4* m, float4* v, float rate, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 wi = w[i], mi = m[i], vi = v[i];
    const float4 gi = g[i];
    const auto step = [rate](float& x, float& first, float& second, float d) {
        first = 0.9f * first + 0.1f * d;
        second = 0.999f * second + 0.001f * d * d;
        x -= rate * (first / (sqrtf(second) + 1e-8f) + 0.01f * x);
    };
    step(wi.x, mi.x, vi.x, gi.x);
    step(wi.y, mi.y, vi.y, gi.y);
    step(wi.z, mi.z, vi.z, gi.z);
    step(wi.w, mi.w, vi.w, gi.w);
    w[i] = wi;
    m[i] = mi;
    v[i] = vi;
}

extern "C" __global__ void julia(int* out, int width, int limit)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float re = 3.0f * x / width - 1.5f, im = 3.0f * y / width - 1.5f;
    int steps = 0;
    while (steps < limit && re * re + im * im < 4) {
        const float next = re * re - im * im - 0.8f;
        im = 2 * re * im + 0.156f;
        re = next;
        ++steps;
    }
    out[y * width + x] = steps;
}

extern "C" __global__ void pi_walk(unsigned* hits, unsigned seed, int rounds)
{
    unsigned state = seed + blockIdx.x * blockDim.x + threadIdx.x, inside = 0;
    for (int i = 0; i < rounds; ++i) {
        unsigned word[2];
        for (unsigned& w : word) {
            state = state * 747796405u + 2891336453u;
            w = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
            w = w >> 22 ^ w;
        }
        const float x = word[0] * 2.3283064e-10f, y = word[1] * 2.3283064e-10f;
        inside += x * x + y * y < 1 ? 1 : 0;
    }
    inside = __reduce_add_sync(~0u, inside);
    if (threadIdx.x % 32 == 0)
        atomicAdd(hits, inside);
}

extern "C" __global__ void compact(const float* in, float* out, unsigned* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const float v = i < n ? in[i] : -1;
    const unsigned kept = __ballot_sync(~0u, v > 0);
    unsigned first = 0;
    if (lane == 0 && kept != 0)
        first = atomicAdd(count, __popc(kept));
    first = __shfl_sync(~0u, first, 0);
    if (v > 0)
        out[first + __popc(kept & ((1u << lane) - 1))] = v;
}

extern "C" __global__ void bins_contended(const unsigned* in, float* bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i] & 63], 1.0f);
}

extern "C" __global__ void depthwise7(const float* in, float* out, int n)
{
    __shared__ float tile[22][40];
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16, c = blockIdx.z;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 22 * 38; i += 256) {
        const int y = y0 + i / 38 - 3, x = x0 + i % 38 - 3;
        tile[i / 38][i % 38] = x >= 0 && y >= 0 && x < n && y < n ? in[(c * n + y) * n + x] : 0;
    }
    __syncthreads();
    for (int r = threadIdx.y; r < 16; r += 8) {
        float sum = 0;
#pragma unroll
        for (int j = 0; j < 7; ++j)
#pragma unroll
            for (int i = 0; i < 7; ++i)
                sum += tile[r + j][threadIdx.x + i] * (0.01f * (i + j));
        out[(c * n + y0 + r) * n + x0 + threadIdx.x] = sum;
    }
}

extern "C" __global__ void im2col(const float* in, float* out, int n, int channels)
{
    const int side = n - 2, total = channels * side * side;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
        const int x = i % side, y = i / side % side, c = i / (side * side);
        for (int j = 0; j < 9; ++j)
            out[((c * 9 + j) * side + y) * side + x] = in[(c * n + y + j / 3) * n + x + j % 3];
    }
}

extern "C" __global__ void embed(const uint4* table, const unsigned* ids, uint4* out, unsigned mask, int quads)
{
    const unsigned row = ids[blockIdx.x] & mask;
    for (int i = threadIdx.x; i < quads; i += blockDim.x)
        out[blockIdx.x * quads + i] = table[row * quads + i];
}

extern "C" __global__ void cross_entropy(const float* logits, const unsigned* label, float* loss, int classes)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const float* x = logits + row * classes;
    float top = -1e30f;
    for (int i = lane; i < classes; i += 32)
        top = fmaxf(top, x[i]);
    for (int d = 16; d > 0; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    float sum = 0;
    for (int i = lane; i < classes; i += 32)
        sum += expf(x[i] - top);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        loss[row] = logf(sum) + top - x[label[row] % unsigned(classes)];
}

extern "C" __global__ void rope(float2* q, int pairs, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float angle = (i / pairs) * exp2f(-13.28771f * (i % pairs) / pairs);
    float s, c;
    sincosf(angle, &s, &c);
    const float2 v = q[i];
    q[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}

extern "C" __global__ void hash_table(const unsigned* keys, unsigned* slots, unsigned* found, unsigned mask, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned key = keys[i] | 1;
    unsigned at = (key * 2654435769u >> 7) & mask;
    for (int tries = 0; tries < 64; ++tries) {
        const unsigned old = atomicCAS(&slots[at], 0u, key);
        if (old == 0 || old == key) {
            found[i] = tries;
            return;
        }
        at = (at + 1) & mask;
    }
    found[i] = ~0u;
}

// 128 x 64 of c a block of 128 threads, 8 x 8 a thread, vector loads, next tile fetched while this one is used.
extern "C" __global__ void __launch_bounds__(128) sgemm_reg8(const float* a, const float* b, float* c, int n)
{
    __shared__ float as[8][128 + 4], bs[8][64];
    const int t = threadIdx.x, tx = t % 8, ty = t / 8, row = blockIdx.y * 128, col = blockIdx.x * 64;
    float sum[8][8] = {};
    float4 nextA[2], nextB;
    const auto fetch = [&](int k) {
        nextA[0] = *reinterpret_cast<const float4*>(&a[(row + t) * n + k]);
        nextA[1] = *reinterpret_cast<const float4*>(&a[(row + t) * n + k + 4]);
        nextB = *reinterpret_cast<const float4*>(&b[(k + t / 16) * n + col + t % 16 * 4]);
    };
    fetch(0);
    for (int k0 = 0; k0 < n; k0 += 8) {
        as[0][t] = nextA[0].x;
        as[1][t] = nextA[0].y;
        as[2][t] = nextA[0].z;
        as[3][t] = nextA[0].w;
        as[4][t] = nextA[1].x;
        as[5][t] = nextA[1].y;
        as[6][t] = nextA[1].z;
        as[7][t] = nextA[1].w;
        *reinterpret_cast<float4*>(&bs[t / 16][t % 16 * 4]) = nextB;
        __syncthreads();
        if (k0 + 8 < n)
            fetch(k0 + 8);
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float x[8], y[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                x[i] = as[k][ty * 8 + i];
                y[i] = bs[k][tx * 8 + i];
            }
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            *reinterpret_cast<float4*>(&c[(row + ty * 8 + i) * n + col + tx * 8 + j]) =
                make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}

// 64 x 64 of c a block of four warps, ldmatrix and mma.sync m16n8k16.
extern "C" __global__ void hgemm_mma(const half* a, const half* b, half* c, int n)
{
    __shared__ half as[64][24], bs[16][72];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32, row = blockIdx.y * 64, col = blockIdx.x * 64;
    float sum[8][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        *reinterpret_cast<uint4*>(&as[t / 2][t % 2 * 8]) = *reinterpret_cast<const uint4*>(&a[(row + t / 2) * n + k0 + t % 2 * 8]);
        *reinterpret_cast<uint4*>(&bs[t / 8][t % 8 * 8]) = *reinterpret_cast<const uint4*>(&b[(k0 + t / 8) * n + col + t % 8 * 8]);
        __syncthreads();
        unsigned x[4];
        const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(&as[warp * 16 + lane % 16][lane / 16 * 8]));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(from));
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            unsigned y[2];
            const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&bs[lane % 16][j * 8]));
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(at));
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                         : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
                         : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
        }
        __syncthreads();
    }
    const int r = row + warp * 16 + lane / 4, q = col + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        *reinterpret_cast<half2*>(&c[r * n + q + j * 8]) = __floats2half2_rn(sum[j][0], sum[j][1]);
        *reinterpret_cast<half2*>(&c[(r + 8) * n + q + j * 8]) = __floats2half2_rn(sum[j][2], sum[j][3]);
    }
}

extern "C" __global__ void max_pool(const float* in, float* out, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, c = blockIdx.z, half = n / 2;
    if (x >= half)
        return;
    const float2 upper = *reinterpret_cast<const float2*>(&in[(c * n + 2 * y) * n + 2 * x]);
    const float2 lower = *reinterpret_cast<const float2*>(&in[(c * n + 2 * y + 1) * n + 2 * x]);
    out[(c * half + y) * half + x] = fmaxf(fmaxf(upper.x, upper.y), fmaxf(lower.x, lower.y));
}

extern "C" __global__ void quantize(const float4* in, char4* out, float* scale, int quads)
{
    __shared__ float part[8];
    float top = 0;
    for (int i = threadIdx.x; i < quads; i += 256) {
        const float4 v = in[blockIdx.x * quads + i];
        top = fmaxf(fmaxf(top, fmaxf(fabsf(v.x), fabsf(v.y))), fmaxf(fabsf(v.z), fabsf(v.w)));
    }
    for (int d = 16; d > 0; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = top;
    __syncthreads();
    for (int i = 0; i < 8; ++i)
        top = fmaxf(top, part[i]);
    const float to = 127 / top;
    for (int i = threadIdx.x; i < quads; i += 256) {
        const float4 v = in[blockIdx.x * quads + i];
        out[blockIdx.x * quads + i] = make_char4(__float2int_rn(v.x * to), __float2int_rn(v.y * to), __float2int_rn(v.z * to),
                                                 __float2int_rn(v.w * to));
    }
    if (threadIdx.x == 0)
        scale[blockIdx.x] = top / 127;
}

// A small array with indices that are only known at run time: it lies in local memory.
extern "C" __global__ void local_array(const unsigned* in, unsigned* out, int rounds, int n)
{
    unsigned counts[24] = {};
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = in[i % n];
    for (int k = 0; k < rounds; ++k) {
        counts[v % 24] += k;
        v = v * 1664525u + 1013904223u + counts[(v >> 8) % 24];
    }
    unsigned sum = 0;
    for (unsigned c : counts)
        sum = sum * 31 + c;
    out[i] = sum;
}

extern "C" __global__ void filter_const(const float* in, float* out, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= n - 6 || y >= n - 6)
        return;
    float sum = 0;
    for (int j = 0; j < 7; ++j)
        for (int i = 0; i < 7; ++i)
            sum += filter[j * 7 + i] * in[(y + j) * n + x + i];
    out[y * n + x] = sum;
}

extern "C" __global__ void horner_double(const double* in, double* out, int degree, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const double x = in[i];
    double sum = 1;
    for (int k = degree; k > 0; --k)
        sum = sum * x / 2 + 1.0 / k;
    out[i] = sum;
}

extern "C" __global__ void levenshtein(const unsigned* a, const unsigned* b, unsigned* out, int length)
{
    extern __shared__ unsigned char rows[];
    unsigned char* row = rows + threadIdx.x * (length + 1);
    const unsigned* left = a + (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    for (int j = 0; j <= length; ++j)
        row[j] = j;
    for (int i = 0; i < length; ++i) {
        unsigned diagonal = row[0];
        row[0] = i + 1;
        const unsigned letter = left[i % 16] >> (i / 16) & 3;
        for (int j = 0; j < length; ++j) {
            const unsigned cost = diagonal + (letter != (b[j % 16] >> (j / 16) & 3) ? 1 : 0);
            diagonal = row[j + 1];
            row[j + 1] = min(min(diagonal, unsigned(row[j])) + 1, cost);
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = row[length];
}

// One block for each row of triangles of different height: the last ones run alone.
extern "C" __global__ void triangle_sum(const float* in, float* out, int n)
{
    __shared__ float part[8];
    const int row = blockIdx.x;
    float sum = 0;
    for (int i = threadIdx.x; i <= row; i += blockDim.x)
        sum += in[row * n + i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; ++i)
            sum += part[i];
        out[row] = sum;
    }
}
