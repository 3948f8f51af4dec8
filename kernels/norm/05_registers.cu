// SPDX-License-Identifier: GPL-3.0-or-later
//
// Normalisation, rung 5: the row stays in registers.
//
// Changed   over rung 2: a thread keeps its 32 elements in registers from the first pass on, and the block is as large
//           as the row needs, up to 1024 threads. What a row of more than 32768 columns has beyond them is read again
//           in every pass.
// Frees     all reads but the first: a row crosses the pins once each way, whatever the caches do.
// Costs     32 registers a thread. Of the 64 that 1024 threads leave each, LayerNorm wants more: ptxas 13.0 spills
//           some for sm_90.
// Gain      over rung 2: open until run on a GPU. Time over columns should be flat, then step up where the row no
//           longer fits the registers.

// bf16 is the upper half of a float.
__device__ float toFloat(unsigned int bits)
{
    return __uint_as_float(bits << 16);
}

// To nearest even; the numbers here are finite.
__device__ unsigned int toBf16(float value)
{
    unsigned int bits = __float_as_uint(value);
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

// In every lane.
__device__ float warpSum(float v)
{
    for (int s = 16; s > 0; s /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, s);
    return v;
}

// In every thread.
__device__ float blockSum(float v)
{
    __shared__ float part[32];
    unsigned int lane = threadIdx.x % 32;
    v = warpSum(v);
    __syncthreads(); // whoever still reads the sums of before
    if (lane == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    return warpSum(lane < blockDim.x / 32 ? part[lane] : 0.0f);
}

constexpr unsigned int kOwn = 32; // elements of a thread

template<bool kLayer>
__device__ void normRegisters(const unsigned short* __restrict__ x, const unsigned short* __restrict__ weight,
                              const unsigned short* __restrict__ bias, unsigned short* __restrict__ y,
                              unsigned int rows, unsigned int columns, float epsilon)
{
    if (blockIdx.x >= rows)
        return;
    unsigned long long begin = (unsigned long long)blockIdx.x * columns;
    const unsigned short* row = x + begin;
    unsigned int rest = kOwn * blockDim.x + threadIdx.x; // the first element that has no register
    float own[kOwn];
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k) { // all loads start before the first is used
        unsigned int i = k * blockDim.x + threadIdx.x;
        own[k] = i < columns ? toFloat(row[i]) : 0.0f;
    }
    float mean = 0.0f;
    if (kLayer) {
        float sum = 0.0f;
#pragma unroll
        for (unsigned int k = 0; k < kOwn; ++k)
            sum += own[k];
        for (unsigned int i = rest; i < columns; i += blockDim.x)
            sum += toFloat(row[i]);
        mean = blockSum(sum) / (float)columns;
    }
    float squares = 0.0f;
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k) {
        float d = own[k] - mean;
        if (!kLayer || k * blockDim.x + threadIdx.x < columns) // beyond the row there is no distance
            squares += d * d;
    }
    for (unsigned int i = rest; i < columns; i += blockDim.x) {
        float d = toFloat(row[i]) - mean;
        squares += d * d;
    }
    float scale = 1.0f / sqrtf(blockSum(squares) / (float)columns + epsilon);
    const auto write = [&](unsigned int i, float value) {
        float v = (value - mean) * scale * toFloat(weight[i]);
        y[begin + i] = toBf16(kLayer ? v + toFloat(bias[i]) : v);
    };
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k)
        if (k * blockDim.x + threadIdx.x < columns)
            write(k * blockDim.x + threadIdx.x, own[k]);
    for (unsigned int i = rest; i < columns; i += blockDim.x)
        write(i, toFloat(row[i]));
}

extern "C" __global__ void __launch_bounds__(1024)
    norm_registers_rms(const unsigned short* __restrict__ x, const unsigned short* __restrict__ weight,
                       unsigned short* __restrict__ y, unsigned int rows, unsigned int columns, float epsilon)
{
    normRegisters<false>(x, weight, nullptr, y, rows, columns, epsilon);
}

extern "C" __global__ void __launch_bounds__(1024)
    norm_registers_layer(const unsigned short* __restrict__ x, const unsigned short* __restrict__ weight,
                         const unsigned short* __restrict__ bias, unsigned short* __restrict__ y, unsigned int rows,
                         unsigned int columns, float epsilon)
{
    normRegisters<true>(x, weight, bias, y, rows, columns, epsilon);
}
