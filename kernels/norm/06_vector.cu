// SPDX-License-Identifier: GPL-3.0-or-later
//
// Normalisation, rung 6: 16 bytes a lane.
//
// Changed   over rung 5: a thread's 32 elements are four vectors of eight, loaded and stored whole, and they stay
//           packed in 16 registers until they are needed.
// Frees     seven of eight load and store instructions, and the arithmetic of their addresses; 64 bytes of each thread
//           are under way at once.
// Gain      over rung 5: open until run on a GPU. Rows that are no multiple of eight elements are moved one by one.

// Element e of a vector: bf16 is the upper half of a float.
__device__ float element(uint4 v, unsigned int e)
{
    unsigned int word = e < 2 ? v.x : e < 4 ? v.y : e < 6 ? v.z : v.w;
    return __uint_as_float(e % 2 == 0 ? word << 16 : word & 0xffff0000u);
}

// bf16 to nearest even in the upper half; the numbers here are finite.
__device__ unsigned int rounded(float value)
{
    unsigned int bits = __float_as_uint(value);
    return bits + 0x7fff + (bits >> 16 & 1);
}

__device__ unsigned int packed(float low, float high)
{
    return rounded(low) >> 16 | (rounded(high) & 0xffff0000u);
}

// Vector j of a row, zeros beyond its end. Rows that are no multiple of 16 bytes are read element by element.
template<bool kWhole>
__device__ uint4 load(const unsigned short* row, unsigned int j, unsigned int columns)
{
    if constexpr (kWhole) {
        return 8 * j < columns ? ((const uint4*)row)[j] : make_uint4(0, 0, 0, 0);
    } else {
        unsigned int part[8];
#pragma unroll
        for (unsigned int e = 0; e < 8; ++e)
            part[e] = 8 * j + e < columns ? row[8 * j + e] : 0;
        return make_uint4(part[0] | part[1] << 16, part[2] | part[3] << 16, part[4] | part[5] << 16,
                          part[6] | part[7] << 16);
    }
}

template<bool kWhole>
__device__ void store(unsigned short* row, unsigned int j, unsigned int columns, uint4 v)
{
    if constexpr (kWhole) {
        if (8 * j < columns)
            ((uint4*)row)[j] = v;
    } else {
        unsigned int word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (unsigned int e = 0; e < 8; ++e)
            if (8 * j + e < columns)
                row[8 * j + e] = word[e / 2] >> e % 2 * 16;
    }
}

__device__ float added(float sum, uint4 v)
{
#pragma unroll
    for (unsigned int e = 0; e < 8; ++e)
        sum += element(v, e);
    return sum;
}

// Squared distances from the mean; beyond the row there is none.
template<bool kWhole>
__device__ float distances(float squares, uint4 v, float mean, unsigned int j, unsigned int columns)
{
#pragma unroll
    for (unsigned int e = 0; e < 8; ++e) {
        float d = element(v, e) - mean;
        if (kWhole ? 8 * j < columns : 8 * j + e < columns)
            squares += d * d;
    }
    return squares;
}

template<bool kLayer>
__device__ uint4 normalised(uint4 v, uint4 weight, uint4 bias, float mean, float scale)
{
    float out[8];
#pragma unroll
    for (unsigned int e = 0; e < 8; ++e) {
        out[e] = (element(v, e) - mean) * scale * element(weight, e);
        if (kLayer)
            out[e] += element(bias, e);
    }
    return make_uint4(packed(out[0], out[1]), packed(out[2], out[3]), packed(out[4], out[5]), packed(out[6], out[7]));
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

constexpr unsigned int kOwn = 4; // vectors of a thread

template<bool kLayer, bool kWhole>
__device__ void normVector(const unsigned short* __restrict__ x, const unsigned short* __restrict__ weight,
                           const unsigned short* __restrict__ bias, unsigned short* __restrict__ y, unsigned int rows,
                           unsigned int columns, float epsilon)
{
    if (blockIdx.x >= rows)
        return;
    const unsigned short* row = x + (unsigned long long)blockIdx.x * columns;
    unsigned short* out = y + (unsigned long long)blockIdx.x * columns;
    unsigned int rest = kOwn * blockDim.x + threadIdx.x; // the first vector that has no registers
    uint4 own[kOwn];
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k) // all loads start before the first is used
        own[k] = load<kWhole>(row, k * blockDim.x + threadIdx.x, columns);
    float mean = 0.0f;
    if (kLayer) {
        float sum = 0.0f;
#pragma unroll
        for (unsigned int k = 0; k < kOwn; ++k)
            sum = added(sum, own[k]);
        for (unsigned int j = rest; 8 * j < columns; j += blockDim.x)
            sum = added(sum, load<kWhole>(row, j, columns));
        mean = blockSum(sum) / (float)columns;
    }
    float squares = 0.0f;
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k)
        squares = distances<kWhole>(squares, own[k], mean, k * blockDim.x + threadIdx.x, columns);
    for (unsigned int j = rest; 8 * j < columns; j += blockDim.x)
        squares = distances<kWhole>(squares, load<kWhole>(row, j, columns), mean, j, columns);
    float scale = 1.0f / sqrtf(blockSum(squares) / (float)columns + epsilon);
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k) {
        unsigned int j = k * blockDim.x + threadIdx.x;
        uint4 w = load<kWhole>(weight, j, columns), b = kLayer ? load<kWhole>(bias, j, columns) : w;
        store<kWhole>(out, j, columns, normalised<kLayer>(own[k], w, b, mean, scale));
    }
    for (unsigned int j = rest; 8 * j < columns; j += blockDim.x) {
        uint4 w = load<kWhole>(weight, j, columns), b = kLayer ? load<kWhole>(bias, j, columns) : w;
        store<kWhole>(out, j, columns, normalised<kLayer>(load<kWhole>(row, j, columns), w, b, mean, scale));
    }
}

extern "C" __global__ void __launch_bounds__(1024)
    norm_vector_rms(const unsigned short* __restrict__ x, const unsigned short* __restrict__ weight,
                    unsigned short* __restrict__ y, unsigned int rows, unsigned int columns, float epsilon)
{
    if (columns % 8 == 0)
        normVector<false, true>(x, weight, weight, y, rows, columns, epsilon);
    else
        normVector<false, false>(x, weight, weight, y, rows, columns, epsilon);
}

extern "C" __global__ void __launch_bounds__(1024)
    norm_vector_layer(const unsigned short* __restrict__ x, const unsigned short* __restrict__ weight,
                      const unsigned short* __restrict__ bias, unsigned short* __restrict__ y, unsigned int rows,
                      unsigned int columns, float epsilon)
{
    if (columns % 8 == 0)
        normVector<true, true>(x, weight, bias, y, rows, columns, epsilon);
    else
        normVector<true, false>(x, weight, bias, y, rows, columns, epsilon);
}
