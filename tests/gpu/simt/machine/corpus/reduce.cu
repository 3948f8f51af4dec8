// SPDX-License-Identifier: GPL-3.0-or-later
// Corpus of the machine-lowering validation: reductions, scans, atomics, votes.
extern "C" __global__ void reduce_shared(const float* in, float* out, int n)
{
    extern __shared__ float s[];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
    float v = 0;
    if (i < n)
        v = in[i];
    if (i + blockDim.x < n)
        v += in[i + blockDim.x];
    s[t] = v;
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
__device__ __forceinline__ float warp_sum(float v)
{
    for (int k = 16; k > 0; k >>= 1)
        v += __shfl_xor_sync(~0u, v, k);
    return v;
}
extern "C" __global__ void reduce_shuffle(const float* in, float* out, int n)
{
    __shared__ float s[32];
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += in[i];
    v = warp_sum(v);
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0)
        s[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < blockDim.x / 32 ? s[lane] : 0.0f;
        v = warp_sum(v);
        if (lane == 0)
            atomicAdd(out, v);
    }
}
extern "C" __global__ void histogram_global(const unsigned char* in, unsigned* bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1u);
}
extern "C" __global__ void histogram_shared(const unsigned* in, unsigned* bins, int n)
{
    __shared__ unsigned s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[in[i] & 255], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&bins[i], s[i]);
}
extern "C" __global__ void scan_block(const int* in, int* out, int n)
{
    __shared__ int s[2][512];
    int t = threadIdx.x, i = blockIdx.x * 512 + t, from = 0;
    s[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    if (i < n)
        out[i] = s[from][t];
}
extern "C" __global__ void compact_ballot(const int* in, int* out, int* count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? in[i] : 0;
    unsigned mask = __ballot_sync(~0u, v > 0);
    int lane = threadIdx.x & 31, base = 0;
    if (lane == 0)
        base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(~0u, base, 0);
    if (v > 0)
        out[base + __popc(mask & ((1u << lane) - 1))] = v;
}
extern "C" __global__ void softmax_row(const float* in, float* out, int cols)
{
    __shared__ float sm[32], ss[32];
    const float* row = in + (long long)blockIdx.x * cols;
    float m = -1e30f, sum = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float x = row[c], next = fmaxf(m, x);
        sum = sum * __expf(m - next) + __expf(x - next);
        m = next;
    }
    for (int k = 16; k > 0; k >>= 1) {
        float om = __shfl_xor_sync(~0u, m, k), os = __shfl_xor_sync(~0u, sum, k), next = fmaxf(m, om);
        sum = sum * __expf(m - next) + os * __expf(om - next);
        m = next;
    }
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0) {
        sm[warp] = m;
        ss[warp] = sum;
    }
    __syncthreads();
    m = sm[0];
    sum = ss[0];
    for (int k = 1; k < blockDim.x / 32; ++k) {
        float next = fmaxf(m, sm[k]);
        sum = sum * __expf(m - next) + ss[k] * __expf(sm[k] - next);
        m = next;
    }
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[(long long)blockIdx.x * cols + c] = __expf(row[c] - m) / sum;
}
extern "C" __global__ void layernorm(const float* in, const float* g, const float* b, float* out, int cols)
{
    const float* row = in + blockIdx.x * cols;
    float s = 0, q = 0;
    for (int c = threadIdx.x; c < cols; c += 32) {
        float x = row[c];
        s += x;
        q += x * x;
    }
    s = warp_sum(s) / cols;
    q = warp_sum(q) / cols - s * s;
    float r = rsqrtf(q + 1e-5f);
    for (int c = threadIdx.x; c < cols; c += 32)
        out[blockIdx.x * cols + c] = (row[c] - s) * r * g[c] + b[c];
}
extern "C" __global__ void argmax_warp(const float* in, int* out, int n)
{
    int lane = threadIdx.x, best = lane;
    float v = in[lane];
    for (int i = lane + 32; i < n; i += 32)
        if (in[i] > v) {
            v = in[i];
            best = i;
        }
    for (int k = 16; k > 0; k >>= 1) {
        float ov = __shfl_down_sync(~0u, v, k);
        int ob = __shfl_down_sync(~0u, best, k);
        if (ov > v) {
            v = ov;
            best = ob;
        }
    }
    if (lane == 0)
        *out = best;
}
extern "C" __global__ void spin_lock(int* lock, int* data)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *data += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}
extern "C" __global__ void divergent(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int v = in[i], r = 0;
    switch (v & 3) {
    case 0: r = v * 3 + in[(i + 1) % n]; break;
    case 1: r = v / 7; break;
    case 2:
        while (v > 1) {
            v = v & 1 ? 3 * v + 1 : v >> 1;
            ++r;
        }
        break;
    default: r = -v;
    }
    out[i] = r;
}
extern "C" __global__ void dot_double(const double* a, const double* b, double* out, int n)
{
    double s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s += a[i] * b[i];
    out[threadIdx.x] = s;
}
extern "C" __global__ void minmax_int(const int* in, int* lo, int* hi, int n)
{
    int a = 0x7fffffff, b = 0x80000000;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        a = min(a, in[i]);
        b = max(b, in[i]);
    }
    atomicMin(lo, a);
    atomicMax(hi, b);
}
extern "C" __global__ void compact_flags(const float* in, unsigned* flags, float t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool keep = i < n && in[i] > t && in[i] < 2 * t;
    unsigned m = __ballot_sync(~0u, keep);
    if ((threadIdx.x & 31) == 0)
        flags[i >> 5] = m;
}
