// SPDX-License-Identifier: GPL-3.0-or-later
// Streams of growing size, for calibration: what a cold L2 and DRAM give to kernels that do nothing else. What is
// launched how stands in manifest.json; make.sh makes sizes.ptx, which is what GPU and simulator run.

extern "C" __global__ void read4(const float* in, float* out, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    if (sum == 12345.0f)
        out[0] = sum;
}

extern "C" __global__ void read16(const float4* in, float* out, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float4 v = in[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == 12345.0f)
        out[0] = sum;
}

extern "C" __global__ void write4(float* out, float value)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

extern "C" __global__ void write16(float4* out, float value)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = make_float4(value, value, value, value);
}

extern "C" __global__ void copy4(const float* in, float* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

extern "C" __global__ void copy16(const float4* in, float4* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

extern "C" __global__ void copy16_loop(const float4* in, float4* out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}

// Every warp moves whole rows of `width` vectors, one after another.
extern "C" __global__ void rows16(const float4* in, float4* out, int rows, int width)
{
    const int lane = threadIdx.x % 32;
    for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32; row < rows; row += gridDim.x * blockDim.x / 32)
        for (int i = lane; i < width; i += 32)
            out[row * width + i] = in[row * width + i];
}

// Every lane reads another line, `stride` floats on from the last one's.
extern "C" __global__ void apart(const float* in, float* out, int stride, unsigned mask)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * unsigned(stride) & mask];
}

// All warps read the same few lines, once: what a kernel's weights are, after another kernel has streamed through the
// L2.
extern "C" __global__ void weights(const float4* w, float* out, int width)
{
    float sum = 0;
    for (int i = threadIdx.x % 32; i < width; i += 32)
        sum += w[i].x;
    if (sum == 12345.0f)
        out[0] = sum;
}

// The same lines, one after another: each address is what the last load gave (all zero).
extern "C" __global__ void weights_chase(const unsigned* w, unsigned* out, int lines)
{
    unsigned at = 0;
    for (int i = 0; i < lines; ++i)
        at = w[at + i * 32] + (at & 31);
    if (at == 12345)
        out[0] = at;
}

extern "C" __global__ void write16_loop(float4* out, float value, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = make_float4(value, value, value, value);
}

// Each thread adds `times` times, at places all over the bins.
extern "C" __global__ void add_spread(unsigned* bins, unsigned mask, int times)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < times; ++k)
        atomicAdd(&bins[(i * 2654435761u + k * 40503u) >> 7 & mask], 1u);
}

// A warp's lanes add to neighbouring floats, whole numbers, so that the order does not show in the sum.
extern "C" __global__ void add_rows(float* bins, unsigned mask, int times)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < times; ++k)
        atomicAdd(&bins[i + k * 32 & mask], 1.0f);
}

// A set that all blocks read: block b reads chunk b modulo `chunks`, 32 doubles a thread (tools/published/l2_cache.cu).
extern "C" __global__ void read_chunks(const double* data, double* out, int chunks)
{
    const int place = int(blockIdx.x) % chunks * int(blockDim.x) + int(threadIdx.x);
    double sum = 0;
#pragma unroll
    for (int round = 0; round < 32; ++round)
        sum += data[round * chunks * int(blockDim.x) + place];
    if (sum == 0.5)
        out[threadIdx.x] = sum;
}

// One lane goes from word to word, `stride` apart: what a page costs that has not been seen for a while.
extern "C" __global__ void chase_apart(const unsigned* w, unsigned* out, int steps, unsigned stride)
{
    unsigned at = 0;
    for (int i = 0; i < steps; ++i)
        at = w[at + i * stride] + (at & 31);
    if (at == 12345)
        out[0] = at;
}
