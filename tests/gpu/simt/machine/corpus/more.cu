// SPDX-License-Identifier: GPL-3.0-or-later
// Corpus of the machine-lowering validation, development half: control flow and layouts that the first files lack.
extern "C" __global__ void hist_scan_rows(const int* counts, int* offsets, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        int sum = 0;
        for (int r = 0; r < rows; ++r) {
            int v = counts[r * cols + c];
            offsets[r * cols + c] = sum;
            sum += v;
        }
    }
}
extern "C" __global__ void median3(const float* in, float* out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x > 0 && x < w - 1) {
        float a = in[y * w + x - 1], b = in[y * w + x], c = in[y * w + x + 1];
        out[y * w + x] = fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
    }
}
extern "C" __global__ void collatz(const unsigned* in, unsigned* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned v = in[i], k = 0;
        while (v != 1 && k < 1000) {
            if (v & 1)
                v = 3 * v + 1;
            else
                v /= 2;
            ++k;
        }
        out[i] = k;
    }
}
extern "C" __global__ void list_rank(const int* next, const int* value, int* sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int s = 0;
        for (int at = i; at >= 0; at = next[at])
            s += value[at];
        sum[i] = s;
    }
}
extern "C" __global__ void wave_2d(const float* p, const float* c, float* n, int w, int h, float k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    int i = y * w + x;
    float lap = c[i - 1] + c[i + 1] + c[i - w] + c[i + w] - 4 * c[i];
    n[i] = 2 * c[i] - p[i] + k * lap;
}
extern "C" __global__ void momentum(float* w, const float* g, float* v, float lr, float mu, float decay, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float d = g[i] + decay * w[i];
        v[i] = mu * v[i] + d;
        w[i] -= lr * v[i];
    }
}
extern "C" __global__ void odd_even_sort(int* data, int n)
{
    __shared__ int s[512];
    int t = threadIdx.x;
    s[t] = t < n ? data[t] : 2147483647;
    __syncthreads();
    for (int r = 0; r < n; ++r) {
        int a = 2 * t + (r & 1);
        if (a + 1 < n && s[a] > s[a + 1]) {
            int x = s[a];
            s[a] = s[a + 1];
            s[a + 1] = x;
        }
        __syncthreads();
    }
    if (t < n)
        data[t] = s[t];
}
extern "C" __global__ void tile_mm_bt(const float* a, const float* b, float* c, int n, int k)
{
    __shared__ float sa[16][20], sb[16][20];
    int tx = threadIdx.x, ty = threadIdx.y;
    float s0 = 0, s1 = 0;
    for (int k0 = 0; k0 < k; k0 += 16) {
        sa[ty][tx] = a[(blockIdx.y * 16 + ty) * k + k0 + tx];
        sb[ty][tx] = b[(blockIdx.x * 16 + ty) * k + k0 + tx];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i += 2) {
            s0 += sa[ty][i] * sb[tx][i];
            s1 += sa[ty][i + 1] * sb[tx][i + 1];
        }
        __syncthreads();
    }
    c[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx] = s0 + s1;
}
extern "C" __global__ void dot4(const float4* a, const float4* b, float* out, int n)
{
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 x = a[i], y = b[i];
        s += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
extern "C" __global__ void softplus_grad(const float* x, const float* g, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        out[i] = v > 20.0f ? g[i] : g[i] * (1.0f / (1.0f + expf(-v)));
    }
}
extern "C" __global__ void parity(const unsigned long long* in, unsigned* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned long long v = in[i];
        v ^= v >> 32;
        v ^= v >> 16;
        v ^= v >> 8;
        out[i] = (unsigned)v & 0xff;
    }
}
extern "C" __global__ void lcg64(unsigned long long* state, float* out, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long s = state[i];
    float sum = 0;
    for (int r = 0; r < rounds; ++r) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        sum += (float)(unsigned)(s >> 33) * 2.3283064e-10f;
    }
    state[i] = s;
    out[i] = sum;
}
extern "C" __global__ void nearest(const float* pts, const float* cents, int* out, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float px = pts[2 * i], py = pts[2 * i + 1], best = 1e30f;
    int at = 0;
    for (int c = 0; c < k; ++c) {
        float dx = px - cents[2 * c], dy = py - cents[2 * c + 1], d = dx * dx + dy * dy;
        if (d < best) {
            best = d;
            at = c;
        }
    }
    out[i] = at;
}
extern "C" __global__ void horner_double(const double* c, const double* x, double* y, int n, int degree)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double r = 0;
        for (int k = degree; k >= 0; --k)
            r = r * x[i] + c[k];
        y[i] = r + 0.1 * x[i];
    }
}
extern "C" __global__ void absmax_block(const float* in, float* out, int n)
{
    __shared__ float s[32];
    float m = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        m = fmaxf(m, fabsf(in[i]));
    for (int d = 16; d; d >>= 1)
        m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = m;
    __syncthreads();
    if (threadIdx.x < 32) {
        m = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0.0f;
        for (int d = 16; d; d >>= 1)
            m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
        if (threadIdx.x == 0)
            *out = m;
    }
}
extern "C" __global__ void byte_swap(const uchar4* in, uchar4* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uchar4 v = in[i];
        out[i] = make_uchar4(v.w, v.z, v.y, v.x);
    }
}
