// SPDX-License-Identifier: GPL-3.0-or-later
// Held-out half of the corpus: written once the passes stood, looked at by nobody who tunes them; only totals and the
// rows of docs/validation.md are made from it.
extern "C" __global__ void blend(const float* a, const float* b, float* c, float t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + t * (b[i] - a[i]);
}
extern "C" __global__ void relu_bias(float* x, const float* bias, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c < cols && r < rows)
        x[r * cols + c] = fmaxf(x[r * cols + c] + bias[c], 0.0f);
}
extern "C" __global__ void gather_rows(const float* table, const int* ids, float* out, int width)
{
    int row = ids[blockIdx.x];
    for (int c = threadIdx.x; c < width; c += blockDim.x)
        out[blockIdx.x * width + c] = table[row * width + c];
}
extern "C" __global__ void axpy_double(double a, const double* x, double* y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] += a * x[i];
}
extern "C" __global__ void swap_halves(int4* data, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < half) {
        int4 a = data[i], b = data[i + half];
        data[i] = b;
        data[i + half] = a;
    }
}
extern "C" __global__ void rotate_embed(float2* q, const float* angle, int heads, int dim)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < heads * dim) {
        float a = angle[i % dim], s = __sinf(a), c = __cosf(a);
        float2 v = q[i];
        q[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
    }
}
extern "C" __global__ void sigmoid_loss(const float* x, const int* y, float* loss, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float p = 1.0f / (1.0f + __expf(-x[i]));
        loss[i] = y[i] ? -__logf(p) : -__logf(1.0f - p);
    }
}
extern "C" __global__ void adam_step(float* w, const float* g, float* m, float* v, float lr, float b1, float b2, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float gi = g[i], mi = b1 * m[i] + (1 - b1) * gi, vi = b2 * v[i] + (1 - b2) * gi * gi;
        m[i] = mi;
        v[i] = vi;
        w[i] -= lr * mi * rsqrtf(vi + 1e-8f);
    }
}
extern "C" __global__ void max_pool_2x2(const float* in, float* out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w / 2 && y < h / 2) {
        const float* p = in + 2 * y * w + 2 * x;
        out[y * (w / 2) + x] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[w], p[w + 1]));
    }
}
extern "C" __global__ void col_sum(const float* in, float* out, int rows, int cols)
{
    __shared__ float s[8][33];
    int c = blockIdx.x * 32 + threadIdx.x;
    float v = 0;
    for (int r = threadIdx.y; r < rows; r += 8)
        v += c < cols ? in[r * cols + c] : 0.0f;
    s[threadIdx.y][threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.y == 0 && c < cols) {
        for (int k = 1; k < 8; ++k)
            v += s[k][threadIdx.x];
        out[c] = v;
    }
}
extern "C" __global__ void block_max(const int* in, int* out, int n)
{
    __shared__ int s[256];
    int t = threadIdx.x, m = -2147483647;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        m = max(m, in[i]);
    s[t] = m;
    __syncthreads();
#pragma unroll
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k)
            s[t] = max(s[t], s[t + k]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
extern "C" __global__ void warp_scan(const float* in, float* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    float v = in[i];
    for (int d = 1; d < 32; d *= 2) {
        float o = __shfl_up_sync(~0u, v, d);
        if (lane >= d)
            v += o;
    }
    out[i] = v;
}
extern "C" __global__ void gemm_tiled8x4(const float* a, const float* b, float* c, int m, int n, int k)
{
    __shared__ float sa[32][17], sb[16][64];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        for (int i = t; i < 512; i += 128)
            sa[i / 16][i % 16] = a[(blockIdx.y * 32 + i / 16) * k + k0 + i % 16];
        for (int i = t; i < 1024; i += 128)
            sb[i / 64][i % 64] = b[(k0 + i / 64) * n + blockIdx.x * 64 + i % 64];
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 16; ++p)
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    acc[i][j] += sa[ty * 4 + i][p] * sb[p][tx + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            c[(blockIdx.y * 32 + ty * 4 + i) * n + blockIdx.x * 64 + tx + 16 * j] = acc[i][j];
}
extern "C" __global__ __launch_bounds__(1024) void bitonic_1024(int* data)
{
    __shared__ int s[1024];
    int t = threadIdx.x;
    s[t] = data[blockIdx.x * 1024 + t];
    __syncthreads();
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int o = t ^ j;
            if (o > t) {
                bool up = (t & k) == 0;
                int a = s[t], b = s[o];
                if ((a > b) == up) {
                    s[t] = b;
                    s[o] = a;
                }
            }
            __syncthreads();
        }
    data[blockIdx.x * 1024 + t] = s[t];
}
extern "C" __global__ void spmv_csr(const int* rows, const int* cols, const float* vals, const float* x, float* y, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n) {
        float s = 0;
        for (int k = rows[r]; k < rows[r + 1]; ++k)
            s += vals[k] * x[cols[k]];
        y[r] = s;
    }
}
extern "C" __global__ void bfs_step(const int* rows, const int* cols, int* dist, int level, int* changed, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && dist[v] == level)
        for (int k = rows[v]; k < rows[v + 1]; ++k)
            if (dist[cols[k]] < 0) {
                dist[cols[k]] = level + 1;
                *changed = 1;
            }
}
extern "C" __global__ void heat_3d(const float* in, float* out, int nx, int ny, int nz, float k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= nx - 1 || y >= ny - 1)
        return;
    for (int z = 1; z < nz - 1; ++z) {
        int i = (z * ny + y) * nx + x;
        float c = in[i];
        out[i] = c + k * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny] - 6 * c);
    }
}
extern "C" __global__ void quantize_rows(const float* in, signed char* out, float* scale, int cols)
{
    const float* row = in + blockIdx.x * cols;
    float m = 0;
    for (int c = threadIdx.x; c < cols; c += 32)
        m = fmaxf(m, fabsf(row[c]));
    for (int d = 16; d > 0; d >>= 1)
        m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    float s = m / 127.0f;
    for (int c = threadIdx.x; c < cols; c += 32)
        out[blockIdx.x * cols + c] = (signed char)__float2int_rn(row[c] / s);
    if (threadIdx.x == 0)
        scale[blockIdx.x] = s;
}
extern "C" __global__ void crc_words(const unsigned* in, unsigned* out, int words)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned c = ~0u;
    for (int w = 0; w < words; ++w) {
        c ^= in[i * words + w];
#pragma unroll
        for (int b = 0; b < 8; ++b)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    }
    out[i] = ~c;
}
extern "C" __global__ void binary_search(const float* keys, const float* sorted, int* out, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float k = keys[i];
    int lo = 0, hi = m;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (sorted[mid] < k)
            lo = mid + 1;
        else
            hi = mid;
    }
    out[i] = lo;
}
extern "C" __global__ void poly_double(const double* x, double* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double v = x[i], r = 1.0 / 5040;
        r = fma(r, v, 1.0 / 720);
        r = fma(r, v, 1.0 / 120);
        r = fma(r, v, 1.0 / 24);
        r = fma(r, v, 1.0 / 6);
        r = fma(r, v, 0.5);
        r = fma(r, v, 1.0);
        y[i] = fma(r, v, 1.0);
    }
}
extern "C" __global__ void philox_like(uint2* out, unsigned key, int rounds)
{
    unsigned a = blockIdx.x * blockDim.x + threadIdx.x, b = key;
    for (int r = 0; r < rounds; ++r) {
        unsigned long long p = (unsigned long long)a * 0xD2511F53u;
        a = (unsigned)(p >> 32) ^ b ^ r;
        b = (unsigned)p;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = make_uint2(a, b);
}
extern "C" __global__ void attention_score(const float4* q, const float4* k, float* s, int len, int d4, float scale)
{
    int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= len)
        return;
    float v = 0;
    for (int d = 0; d < d4; ++d) {
        float4 a = q[i * d4 + d], b = k[j * d4 + d];
        v += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    s[i * len + j] = v * scale;
}
extern "C" __global__ void top2(const float* logits, int* first, int* second, int experts)
{
    const float* l = logits + (blockIdx.x * blockDim.x + threadIdx.x) * experts;
    float a = -1e30f, b = -1e30f;
    int ia = 0, ib = 0;
    for (int e = 0; e < experts; ++e) {
        float v = l[e];
        if (v > a) {
            b = a;
            ib = ia;
            a = v;
            ia = e;
        } else if (v > b) {
            b = v;
            ib = e;
        }
    }
    first[blockIdx.x * blockDim.x + threadIdx.x] = ia;
    second[blockIdx.x * blockDim.x + threadIdx.x] = ib;
}
