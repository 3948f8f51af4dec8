// SPDX-License-Identifier: GPL-3.0-or-later
//
// Normalisation, rung 4: a warp for each row.
//
// Changed   over rung 2: a row belongs to one warp, eight rows to a block. The sum is shuffles alone: no shared memory
//           and no barrier, nobody waits for a slower warp.
// Frees     barriers, and the idle threads of rows that are shorter than a block of 256.
// Costs     with long rows a warp walks far (8192 columns: 256 steps for each pass), and eight times as many rows are
//           under way at once, which pushes them out of L1 before they are read again.
// Gain      over rung 2: open until run on a GPU. Meant for short rows; for long ones it is expected to be slower.

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

template<bool kLayer>
__device__ void normWarp(const unsigned short* __restrict__ x, const unsigned short* __restrict__ weight,
                         const unsigned short* __restrict__ bias, unsigned short* __restrict__ y, unsigned int rows,
                         unsigned int columns, float epsilon)
{
    unsigned int at = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    unsigned int lane = threadIdx.x % 32;
    if (at >= rows)
        return;
    unsigned long long begin = (unsigned long long)at * columns;
    const unsigned short* row = x + begin;
    float mean = 0.0f;
    if (kLayer) {
        float sum = 0.0f;
        for (unsigned int i = lane; i < columns; i += 32)
            sum += toFloat(row[i]);
        mean = warpSum(sum) / (float)columns;
    }
    float squares = 0.0f;
    for (unsigned int i = lane; i < columns; i += 32) {
        float d = toFloat(row[i]) - mean;
        squares += d * d;
    }
    float scale = 1.0f / sqrtf(warpSum(squares) / (float)columns + epsilon);
    for (unsigned int i = lane; i < columns; i += 32) {
        float v = (toFloat(row[i]) - mean) * scale * toFloat(weight[i]);
        y[begin + i] = toBf16(kLayer ? v + toFloat(bias[i]) : v);
    }
}

extern "C" __global__ void norm_warp_rms(const unsigned short* __restrict__ x,
                                         const unsigned short* __restrict__ weight, unsigned short* __restrict__ y,
                                         unsigned int rows, unsigned int columns, float epsilon)
{
    normWarp<false>(x, weight, nullptr, y, rows, columns, epsilon);
}

extern "C" __global__ void norm_warp_layer(const unsigned short* __restrict__ x,
                                           const unsigned short* __restrict__ weight,
                                           const unsigned short* __restrict__ bias, unsigned short* __restrict__ y,
                                           unsigned int rows, unsigned int columns, float epsilon)
{
    normWarp<true>(x, weight, bias, y, rows, columns, epsilon);
}
