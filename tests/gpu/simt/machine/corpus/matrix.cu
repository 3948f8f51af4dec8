// SPDX-License-Identifier: GPL-3.0-or-later
// Corpus of the machine-lowering validation: matrix products, stencils, pointer chase, integer and double arithmetic.
extern "C" __global__ void sgemm_naive(const float* a, const float* b, float* c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float s = 0;
    for (int k = 0; k < n; ++k)
        s += a[y * n + k] * b[k * n + x];
    c[y * n + x] = s;
}
extern "C" __global__ void sgemm_tiled16(const float* a, const float* b, float* c, int n)
{
    __shared__ float sa[16][16], sb[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float s = 0;
    for (int t = 0; t < n; t += 16) {
        sa[ty][tx] = a[y * n + t + tx];
        sb[ty][tx] = b[(t + ty) * n + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k)
            s += sa[ty][k] * sb[k][tx];
        __syncthreads();
    }
    c[y * n + x] = s;
}
extern "C" __global__ void sgemm_tiled32(const float* a, const float* b, float* c, int m, int n, int k)
{
    __shared__ float sa[32][32], sb[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    float s = 0;
    for (int t = 0; t < k; t += 32) {
        sa[ty][tx] = y < m && t + tx < k ? a[y * k + t + tx] : 0.0f;
        sb[ty][tx] = x < n && t + ty < k ? b[(t + ty) * n + x] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; ++i)
            s += sa[ty][i] * sb[i][tx];
        __syncthreads();
    }
    if (y < m && x < n)
        c[y * n + x] = s;
}
extern "C" __global__ void sgemm_reg4(const float* a, const float* b, float* c, int n)
{
    __shared__ float sa[8][64], sb[8][64];
    int t = threadIdx.y * 16 + threadIdx.x;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 8) {
        for (int i = t; i < 512; i += 256) {
            sa[i % 8][i / 8] = a[(blockIdx.y * 64 + i / 8) * n + k0 + i % 8];
            sb[i / 64][i % 64] = b[(k0 + i / 64) * n + blockIdx.x * 64 + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float ra[4], rb[4];
            for (int i = 0; i < 4; ++i) {
                ra[i] = sa[k][threadIdx.y * 4 + i];
                rb[i] = sb[k][threadIdx.x * 4 + i];
            }
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            c[(blockIdx.y * 64 + threadIdx.y * 4 + i) * n + blockIdx.x * 64 + threadIdx.x * 4 + j] = acc[i][j];
}
extern "C" __global__ __launch_bounds__(256) void sgemm_reg8(const float4* a, const float4* b, float4* c, int n)
{
    __shared__ float sa[8][128], sb[8][128];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    float acc[8][8] = {};
    for (int k0 = 0; k0 < n; k0 += 8) {
        float4 va = a[((blockIdx.y * 128 + t / 2) * n + k0) / 4 + t % 2];
        sa[t % 2 * 4 + 0][t / 2] = va.x;
        sa[t % 2 * 4 + 1][t / 2] = va.y;
        sa[t % 2 * 4 + 2][t / 2] = va.z;
        sa[t % 2 * 4 + 3][t / 2] = va.w;
        *(float4*)&sb[t / 32][t % 32 * 4] = b[((k0 + t / 32) * n + blockIdx.x * 128) / 4 + t % 32];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float ra[8], rb[8];
            *(float4*)&ra[0] = *(float4*)&sa[k][ty * 8];
            *(float4*)&ra[4] = *(float4*)&sa[k][ty * 8 + 4];
            *(float4*)&rb[0] = *(float4*)&sb[k][tx * 8];
            *(float4*)&rb[4] = *(float4*)&sb[k][tx * 8 + 4];
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            c[((blockIdx.y * 128 + ty * 8 + i) * n + blockIdx.x * 128 + tx * 8 + j) / 4] =
                make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
}
extern "C" __global__ void dgemm_naive(const double* a, const double* b, double* c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    double s = 0;
    for (int k = 0; k < n; ++k)
        s += a[y * n + k] * b[k * n + x];
    c[y * n + x] = s;
}
extern "C" __global__ void gemv_row(const float* a, const float* x, float* y, int cols)
{
    const float* row = a + (size_t)blockIdx.x * cols;
    float s = 0;
    for (int c = threadIdx.x; c < cols; c += 32)
        s += row[c] * x[c];
    for (int k = 16; k > 0; k >>= 1)
        s += __shfl_down_sync(~0u, s, k);
    if (threadIdx.x == 0)
        y[blockIdx.x] = s;
}
extern "C" __global__ void gemm_dp4a(const int* a, const int* b, int* c, int n, int k4)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int s = 0;
    for (int k = 0; k < k4; ++k)
        s = __dp4a(a[y * k4 + k], b[x * k4 + k], s);
    c[y * n + x] = s;
}
__constant__ float weights[9];
extern "C" __global__ void stencil_const(const float* in, float* out, int n)
{
    __shared__ float s[264];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t + 4] = i < n ? in[i] : 0.0f;
    if (t < 4) {
        s[t] = i >= 4 ? in[i - 4] : 0.0f;
        s[t + 260] = i + 256 < n ? in[i + 256] : 0.0f;
    }
    __syncthreads();
    float v = 0;
    for (int k = 0; k < 9; ++k)
        v += weights[k] * s[t + k];
    if (i < n)
        out[i] = v;
}
extern "C" __global__ void jacobi_2d(const float* in, float* out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
        int i = y * w + x;
        out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
    }
}
extern "C" __global__ void conv_3x3(const float* __restrict__ in, const float* __restrict__ k, float* out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float s = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            int xx = min(max(x + dx, 0), w - 1), yy = min(max(y + dy, 0), h - 1);
            s += in[yy * w + xx] * k[(dy + 1) * 3 + dx + 1];
        }
    out[y * w + x] = s;
}
extern "C" __global__ void pointer_chase(const unsigned* next, unsigned* out, unsigned steps)
{
    unsigned at = threadIdx.x;
    for (unsigned i = 0; i < steps; ++i)
        at = next[at];
    out[threadIdx.x] = at;
}
extern "C" __global__ void shared_stride(float* out, int stride, int rounds)
{
    __shared__ float s[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        s[i] = i;
    __syncthreads();
    float v = 0;
    int at = threadIdx.x * stride;
    for (int r = 0; r < rounds; ++r) {
        v += s[at & 4095];
        at += stride + r;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
extern "C" __global__ void int_division(const int* a, const int* b, int* q, unsigned* m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        q[i] = a[i] / b[i];
        m[i] = (unsigned)a[i] % (unsigned)b[i];
    }
}
extern "C" __global__ void double_division(const double* a, const double* b, double* q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        q[i] = a[i] / b[i] + sqrt(b[i]);
}
extern "C" __global__ void long_index(const long long* a, long long* b, long long n, int shift)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        long long v = a[i];
        v = v << shift ^ v >> 7;
        v = v * 31 + i;
        b[i] = v > n ? v - n : v & 0xffffffffffll;
    }
}
extern "C" __global__ void nbody_step(const float4* __restrict__ pos, float4* acc, int n)
{
    __shared__ float4 s[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 p = pos[i];
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += 128) {
        s[threadIdx.x] = pos[t + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 128; ++j) {
            float dx = s[j].x - p.x, dy = s[j].y - p.y, dz = s[j].z - p.z;
            float d = dx * dx + dy * dy + dz * dz + 0.01f;
            float r = rsqrtf(d), f = s[j].w * r * r * r;
            ax += dx * f;
            ay += dy * f;
            az += dz * f;
        }
        __syncthreads();
    }
    acc[i] = make_float4(ax, ay, az, 0);
}
extern "C" __global__ void monte_carlo(unsigned seed, unsigned* hits, int rounds)
{
    unsigned x = seed ^ (blockIdx.x * blockDim.x + threadIdx.x) * 747796405u, in = 0;
    for (int i = 0; i < rounds; ++i) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        float u = (x & 0xffff) * (1.0f / 65536), v = (x >> 16) * (1.0f / 65536);
        in += u * u + v * v < 1.0f;
    }
    atomicAdd(hits, in);
}
extern "C" __global__ void mandelbrot(int* out, int w, int h, float scale, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = px * scale - 2, cy = py * scale - 1, x = 0, y = 0;
    int k = 0;
    while (x * x + y * y < 4 && k < limit) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        ++k;
    }
    if (px < w && py < h)
        out[py * w + px] = k;
}
extern "C" __global__ void flash_row(const float* q, const float* kk, const float* vv, float* o, int len, float scale)
{
    __shared__ float sk[32][33], sv[32][33];
    int t = threadIdx.x, row = blockIdx.x * 32 + t;
    float rq[32], ro[32] = {}, m = -1e30f, l = 0;
#pragma unroll
    for (int d = 0; d < 32; ++d)
        rq[d] = q[row * 32 + d] * scale;
    for (int base = 0; base < len; base += 32) {
        for (int j = 0; j < 32; ++j) {
            sk[j][t] = kk[(base + j) * 32 + t];
            sv[j][t] = vv[(base + j) * 32 + t];
        }
        __syncthreads();
        for (int j = 0; j < 32; ++j) {
            float s = 0;
#pragma unroll
            for (int d = 0; d < 32; ++d)
                s += rq[d] * sk[j][d];
            float next = fmaxf(m, s), f = __expf(m - next), p = __expf(s - next);
            l = l * f + p;
#pragma unroll
            for (int d = 0; d < 32; ++d)
                ro[d] = ro[d] * f + p * sv[j][d];
            m = next;
        }
        __syncthreads();
    }
#pragma unroll
    for (int d = 0; d < 32; ++d)
        o[row * 32 + d] = ro[d] / l;
}
