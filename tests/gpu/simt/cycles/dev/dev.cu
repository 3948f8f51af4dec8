// SPDX-License-Identifier: GPL-3.0-or-later
// Development set of the cycle comparison: whoever works on the timing model may look at each of these as often as he likes.
// What is launched how stands in manifest.json. make.sh makes dev.ptx, which is what GPU and simulator run.
#include <cuda_fp16.h>
#include <mma.h>

extern "C" __global__ void saxpy(const float* x, float* y, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

extern "C" __global__ void triad4(const float4* a, const float4* b, float4* c, float s, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float4 x = a[i], y = b[i];
        c[i] = make_float4(x.x + s * y.x, x.y + s * y.y, x.z + s * y.z, x.w + s * y.w);
    }
}

extern "C" __global__ void strided(const float* in, float* out, int stride, int n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * unsigned(stride) % unsigned(n)];
}

extern "C" __global__ void transpose_naive(const float* in, float* out, int n)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[x * n + y + j] = in[(y + j) * n + x];
}

extern "C" __global__ void transpose_padded(const float* in, float* out, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void reduce(const float* in, float* sums, int n)
{
    __shared__ float part[32];
    float v = 0;
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

extern "C" __global__ void sgemm_naive(const float* a, const float* b, float* c, int n)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

extern "C" __global__ void sgemm_tiled(const float* a, const float* b, float* c, int n)
{
    __shared__ float as[16][16], bs[16][16];
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

// 64 x 64 of c a block of 256 threads, 4 x 4 a thread.
extern "C" __global__ void sgemm_reg4(const float* a, const float* b, float* c, int n)
{
    __shared__ float as[16][64], bs[16][64];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const int row = blockIdx.y * 64, col = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = t; i < 64 * 16; i += 256) {
            as[i % 16][i / 16] = a[(row + i / 16) * n + k0 + i % 16];
            bs[i / 64][i % 64] = b[(k0 + i / 64) * n + col + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            float x[4], y[4];
            for (int i = 0; i < 4; ++i) {
                x[i] = as[k][ty * 4 + i];
                y[i] = bs[k][tx * 4 + i];
            }
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            c[(row + ty * 4 + i) * n + col + tx * 4 + j] = sum[i][j];
}

extern "C" __global__ void wmma_gemm(const half* a, const half* b, float* c, int n)
{
    using namespace nvcuda;
    const int warp = threadIdx.x / 32;
    const int row = (blockIdx.y * 2 + warp / 2) * 16, col = (blockIdx.x * 2 + warp % 2) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + row * n + k, n);
        wmma::load_matrix_sync(fb, b + k * n + col, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + row * n + col, fc, n, wmma::mem_row_major);
}

extern "C" __global__ void softmax_row(const float* in, float* out, int cols)
{
    __shared__ float part[32];
    const float* x = in + blockIdx.x * cols;
    float top = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        top = fmaxf(top, x[i]);
    for (int d = 16; d > 0; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = top;
    __syncthreads();
    for (int i = 0; i < int(blockDim.x / 32); ++i)
        top = fmaxf(top, part[i]);
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        sum += __expf(x[i] - top);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < int(blockDim.x / 32); ++i)
        sum += part[i];
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        out[blockIdx.x * cols + i] = __expf(x[i] - top) / sum;
}

extern "C" __global__ void layernorm_warp(const float4* in, const float4* gain, float4* out, int rows, int quads)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0, square = 0;
    for (int i = lane; i < quads; i += 32) {
        const float4 v = in[row * quads + i];
        sum += v.x + v.y + v.z + v.w;
        square += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
        square += __shfl_xor_sync(~0u, square, d);
    }
    const float mean = sum / (4 * quads), scale = rsqrtf(square / (4 * quads) - mean * mean + 1e-5f);
    for (int i = lane; i < quads; i += 32) {
        const float4 v = in[row * quads + i], g = gain[i];
        out[row * quads + i] = make_float4((v.x - mean) * scale * g.x, (v.y - mean) * scale * g.y,
                                           (v.z - mean) * scale * g.z, (v.w - mean) * scale * g.w);
    }
}

extern "C" __global__ void histogram_shared(const unsigned* in, unsigned* bins, int n)
{
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i] >> 24], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

extern "C" __global__ void histogram_global(const unsigned* in, unsigned* bins, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[in[i] >> 20], 1u);
}

extern "C" __global__ void stencil5(const float* in, float* out, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] =
            0.2f * (in[y * n + x] + in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

extern "C" __global__ void scan_block(const int* in, int* out)
{
    __shared__ int buffer[2][512];
    const int t = threadIdx.x;
    int from = 0;
    buffer[0][t] = in[blockIdx.x * 512 + t];
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        buffer[1 - from][t] = buffer[from][t] + (t >= d ? buffer[from][t - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    out[blockIdx.x * 512 + t] = buffer[from][t];
}

extern "C" __global__ void fma_chains(float* out, float a, float b, int rounds)
{
    float x = threadIdx.x, y = x + 1, z = x + 2, w = x + 3;
    for (int i = 0; i < rounds; ++i) {
        x = x * a + b;
        y = y * a + b;
        z = z * a + b;
        w = w * a + b;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + y + z + w;
}

extern "C" __global__ void gather(const float* table, const unsigned* index, float* out, unsigned mask, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = table[index[i] & mask];
}

extern "C" __global__ void gelu(const float* in, const float* bias, float* out, int cols, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float x = in[i] + bias[i % cols];
        out[i] = 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
    }
}

extern "C" __global__ void gemv_dp4a(const int4* a, const int4* x, int* y, int quads)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int sum = 0;
    for (int i = lane; i < quads; i += 32) {
        const int4 v = a[row * quads + i], w = x[i];
        sum = __dp4a(v.x, w.x, __dp4a(v.y, w.y, __dp4a(v.z, w.z, __dp4a(v.w, w.w, sum))));
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}

extern "C" __global__ void nbody(const float4* bodies, float4* force, int n)
{
    __shared__ float4 tile[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    const float4 me = bodies[i];
    float3 f = make_float3(0, 0, 0);
    for (int t = 0; t < n; t += 128) {
        tile[threadIdx.x] = bodies[t + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < 128; ++j) {
            const float4 o = tile[j];
            const float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            const float s = o.w * inverse * inverse * inverse;
            f.x += s * dx;
            f.y += s * dy;
            f.z += s * dz;
        }
        __syncthreads();
    }
    force[i] = make_float4(f.x, f.y, f.z, 0);
}

extern "C" __global__ void conv3x3(const float* in, const float* weight, float* out, int n, int channels)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n - 2 || y >= n - 2)
        return;
    float sum = 0;
    for (int c = 0; c < channels; ++c)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                sum += in[(c * n + y + j) * n + x + i] * weight[(c * 3 + j) * 3 + i];
    out[y * n + x] = sum;
}

extern "C" __global__ void copy_async(const float4* in, float4* out, int tiles)
{
    __shared__ float4 buffer[2][256];
    const int t = threadIdx.x;
    const auto fetch = [&](int tile, int slot) {
        const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&buffer[slot][t]));
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + (blockIdx.x * tiles + tile) * 256 + t));
        asm volatile("cp.async.commit_group;");
    };
    fetch(0, 0);
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + 1 < tiles) {
            fetch(tile + 1, (tile + 1) % 2);
            asm volatile("cp.async.wait_group 1;");
        } else {
            asm volatile("cp.async.wait_group 0;");
        }
        __syncthreads();
        const float4 v = buffer[tile % 2][255 - t];
        out[(blockIdx.x * tiles + tile) * 256 + t] = make_float4(v.w, v.z, v.y, v.x);
        __syncthreads();
    }
}

extern "C" __global__ void chase(const unsigned* next, unsigned* out, unsigned mask, int steps)
{
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < steps; ++i)
        at = next[at & mask];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

extern "C" __global__ void divergent(const int* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = i;
    const int rounds = in[i] & 31;
    for (int k = 0; k < rounds; ++k)
        v = sqrtf(v + k);
    out[i] = v;
}
