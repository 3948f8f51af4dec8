// SPDX-License-Identifier: GPL-3.0-or-later
//
// Normalisation, rung 2: a pass over the row for each question.
//
// Shows     the definition, a block of 256 threads a row. RMSNorm asks two questions, how large the row is and what
//           comes out; LayerNorm asks for the mean before. Each is a loop over the whole row.
// Resource  bytes: the row is read twice (RMSNorm) or three times (LayerNorm) and written once. The later reads come
//           from L1 or L2 as long as the rows of all resident blocks fit there.
// Gain      slower than the copy by the number of reads where the caches do not help: 3/2 and 2 at most of what a copy
//           moves; open until run on a GPU.

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

template<bool kLayer>
__device__ void normPasses(const unsigned short* __restrict__ x, const unsigned short* __restrict__ weight,
                           const unsigned short* __restrict__ bias, unsigned short* __restrict__ y, unsigned int rows,
                           unsigned int columns, float epsilon)
{
    if (blockIdx.x >= rows)
        return;
    unsigned long long begin = (unsigned long long)blockIdx.x * columns;
    const unsigned short* row = x + begin;
    float mean = 0.0f;
    if (kLayer) {
        float sum = 0.0f;
        for (unsigned int i = threadIdx.x; i < columns; i += blockDim.x)
            sum += toFloat(row[i]);
        mean = blockSum(sum) / (float)columns;
    }
    float squares = 0.0f;
    for (unsigned int i = threadIdx.x; i < columns; i += blockDim.x) {
        float d = toFloat(row[i]) - mean;
        squares += d * d;
    }
    float scale = 1.0f / sqrtf(blockSum(squares) / (float)columns + epsilon);
    for (unsigned int i = threadIdx.x; i < columns; i += blockDim.x) {
        float v = (toFloat(row[i]) - mean) * scale * toFloat(weight[i]);
        y[begin + i] = toBf16(kLayer ? v + toFloat(bias[i]) : v);
    }
}

extern "C" __global__ void norm_passes_rms(const unsigned short* __restrict__ x,
                                           const unsigned short* __restrict__ weight, unsigned short* __restrict__ y,
                                           unsigned int rows, unsigned int columns, float epsilon)
{
    normPasses<false>(x, weight, nullptr, y, rows, columns, epsilon);
}

extern "C" __global__ void norm_passes_layer(const unsigned short* __restrict__ x,
                                             const unsigned short* __restrict__ weight,
                                             const unsigned short* __restrict__ bias, unsigned short* __restrict__ y,
                                             unsigned int rows, unsigned int columns, float epsilon)
{
    normPasses<true>(x, weight, bias, y, rows, columns, epsilon);
}
