// SPDX-License-Identifier: GPL-3.0-or-later
// Corpus of the machine-lowering validation: streaming and elementwise kernels.
extern "C" __global__ void vec_add(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" __global__ void saxpy_strided(float a, const float* x, float* y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}
extern "C" __global__ void copy_stride(const float* in, float* out, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[(long long)i * stride % n];
}
extern "C" __global__ void copy_float4(const float4* __restrict__ in, float4* __restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}
extern "C" __global__ void triad(double* a, const double* b, const double* c, double s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = b[i] + s * c[i];
}
extern "C" __global__ void scale4(float* data, float s)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
#pragma unroll
    for (int k = 0; k < 4; ++k)
        data[i + k] *= s;
}
extern "C" __global__ void transpose_naive(const float* in, float* out, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < w && y + j < h)
            out[x * h + y + j] = in[(y + j) * w + x];
}
extern "C" __global__ void transpose_tiled(const float* in, float* out, int w, int h)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void gelu_tanh(const float* in, const float* bias, float* out, int n, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i] + bias[i % cols];
        out[i] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
    }
}
extern "C" __global__ void silu_fast(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        out[i] = __fdividef(x, 1.0f + __expf(-x));
    }
}
extern "C" __global__ void normalise(const float* in, const float* mean, const float* var, float* out, int n, int c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int k = i / c % 64;
        out[i] = (in[i] - mean[k]) / sqrtf(var[k] + 1e-5f);
    }
}
extern "C" __global__ void clamp_int8(const float* in, signed char* out, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int q = __float2int_rn(in[i] * scale);
        out[i] = (signed char)max(-128, min(127, q));
    }
}
extern "C" __global__ void hash_bits(unsigned* data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned h = data[i];
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h ^= h >> 16;
        data[i] = (h & 0xffff00ffu) | (~h & 0x00000f00u) | (h >> 31);
    }
}
extern "C" __global__ void exp_log(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = logf(1.0f + expf(in[i]));
}
extern "C" __global__ void fma_chain(float* out, float a, float b, int rounds)
{
    float x = threadIdx.x, y = x + 1, z = x + 2, w = x + 3;
    for (int i = 0; i < rounds; ++i) {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            x = fmaf(x, a, b);
            y = fmaf(y, a, b);
            z = fmaf(z, a, b);
            w = fmaf(w, a, b);
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + y + z + w;
}
extern "C" __global__ void stride_read(const float* in, float* out, unsigned count, unsigned stride, unsigned offset)
{
    unsigned long long at = (unsigned long long)(blockIdx.x * blockDim.x + threadIdx.x) * stride + offset;
    if (at < count)
        out[blockIdx.x * blockDim.x + threadIdx.x] = in[at];
}
