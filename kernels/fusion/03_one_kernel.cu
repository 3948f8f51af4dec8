// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fused operations, rung 3: the whole chain in one kernel.
//
// Changed   over rung 2: a block has a whole row in registers, 16 elements a thread, and the norm needs no kernel for
//           itself. Of a row of more than 16384 columns the rest is read, and taken through the first operators, again
//           for the mean, for the spread and for the result.
// Frees     bytes: two tensors at most are read and one is written, whatever the chain does between.
// Costs     registers, and arithmetic where a row does not fit: the same operators run up to three times.
// Gain      over rung 1: 11 tensors to 3 for five operators, 17 to 3 for eight; less for long rows. Open until run on a
//           GPU.

// Element e of 16 bytes: four fp32 or eight bf16, whose bits are the upper half of a float.
template<class T>
__device__ float element(uint4 v, unsigned int e)
{
    const unsigned int word[4] = {v.x, v.y, v.z, v.w};
    if constexpr (sizeof(T) == 4)
        return __uint_as_float(word[e]);
    else
        return __uint_as_float(e % 2 == 0 ? word[e / 2] << 16 : word[e / 2] & 0xffff0000u);
}

// bf16 to nearest even in the upper half; what is no number stays none.
__device__ unsigned int rounded(float value)
{
    unsigned int bits = __float_as_uint(value);
    return value != value ? 0x7fff0000u : bits + 0x7fff + (bits >> 16 & 1);
}

template<class T>
__device__ uint4 packed(const float* v)
{
    unsigned int word[4];
#pragma unroll
    for (unsigned int k = 0; k < 4; ++k)
        if constexpr (sizeof(T) == 4)
            word[k] = __float_as_uint(v[k]);
        else
            word[k] = rounded(v[2 * k]) >> 16 | (rounded(v[2 * k + 1]) & 0xffff0000u);
    return make_uint4(word[0], word[1], word[2], word[3]);
}

// x ÷ (1 + e^(-2 z)), which is x (1 + tanh z) ÷ 2; z = √(2/π) (x + 0.044715 x³).
__device__ float gelu(float x)
{
    float z = __fmaf_rn(0.044715f, __fmul_rn(__fmul_rn(x, x), x), x);
    return __fdividef(x, __fadd_rn(1.0f, __expf(__fmul_rn(-1.59576912f, z))));
}

// Random bits of element i: a hash of its index, so that whoever computes the element draws the same ones.
__device__ unsigned int drawn(unsigned int i, unsigned int seed)
{
    unsigned int h = i + seed;
    h = (h ^ h >> 16) * 0x7FEB352Du;
    h = (h ^ h >> 15) * 0x846CA68Bu;
    return h ^ h >> 16;
}

constexpr unsigned int kDropped = 429496730; // a tenth of 2^32

// An element through bias, GELU, dropout and residual sum. What one hands to the next is never contracted with it, or
// the result would round differently from that of rung 1.
__device__ float before(float v, float bias, float residual, unsigned int i, unsigned int seed)
{
    v = gelu(__fadd_rn(v, bias));
    v = __fmul_rn(v, drawn(i, seed) < kDropped ? 0.0f : 1.0f / 0.9f);
    return __fadd_rn(v, residual);
}

// Results of the norm through scale, clamp and round, as far as operator `last`.
template<unsigned int kWidth>
__device__ void after(float (&v)[kWidth], unsigned int last)
{
    if (last < 6)
        return;
#pragma unroll
    for (float& each : v)
        each = __fmul_rn(each, 16.0f);
    if (last < 7)
        return;
#pragma unroll
    for (float& each : v)
        each = each < -127.0f ? -127.0f : each > 127.0f ? 127.0f : each; // NaN is neither, and goes through
    if (last < 8)
        return;
#pragma unroll
    for (float& each : v)
        each = rintf(each);
}

// In every lane.
__device__ float warpSum(float v)
{
    for (int s = 16; s > 0; s /= 2)
        v = __fadd_rn(v, __shfl_xor_sync(0xffffffffu, v, s));
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

// kWidth elements of a row from element j on, 16 bytes or one; zeros beyond its end.
template<unsigned int kWidth, class T>
__device__ uint4 load(const T* row, unsigned int j, unsigned int columns)
{
    if (j >= columns)
        return make_uint4(0, 0, 0, 0);
    if constexpr (kWidth == 1)
        return make_uint4(row[j], 0, 0, 0);
    else
        return *(const uint4*)(row + j);
}

template<unsigned int kWidth, class T>
__device__ void store(T* row, unsigned int j, unsigned int columns, const float* v)
{
    if (j >= columns)
        return;
    if constexpr (kWidth == 1)
        row[j] = (T)(sizeof(T) == 4 ? __float_as_uint(v[0]) : rounded(v[0]) >> 16);
    else
        *(uint4*)(row + j) = packed<T>(v);
}

constexpr unsigned int kKept = 16; // elements of a row that a thread has in registers

// A block a row, kWidth elements at a time: 16 bytes, or one where rows are no multiple of them. What of the row has no
// register is read, and taken through the operators before the norm, again in every pass.
template<unsigned int kWidth, class T>
__device__ void chain(const T* __restrict__ x, const T* __restrict__ bias, const T* __restrict__ residual,
                      const T* __restrict__ gain, const T* __restrict__ shift, T* __restrict__ y, unsigned int columns,
                      unsigned int seed, unsigned int last)
{
    constexpr unsigned int kOwn = kKept / kWidth;
    const unsigned int step = kWidth * blockDim.x, mine = kWidth * threadIdx.x, rest = kOwn * step + mine;
    const unsigned int begin = blockIdx.x * columns;
    x += begin;
    residual += begin;
    y += begin;
    // Elements j and following of the row, as the norm sees them. Beyond the row all is zero, and stays so.
    const auto enter = [&](float* v, unsigned int j) {
        uint4 in = load<kWidth>(x, j, columns), r = load<kWidth>(residual, j, columns);
        uint4 b = load<kWidth>(bias, j, columns);
#pragma unroll
        for (unsigned int e = 0; e < kWidth; ++e)
            v[e] = before(element<T>(in, e), element<T>(b, e), element<T>(r, e), begin + j + e, seed);
    };
    float own[kOwn][kWidth];
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k)
        enter(own[k], k * step + mine);
    float sum = 0.0f, other[kWidth];
    const auto add = [&](const float* v) {
#pragma unroll
        for (unsigned int e = 0; e < kWidth; ++e)
            sum = __fadd_rn(sum, v[e]);
    };
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k)
        add(own[k]);
    for (unsigned int j = rest; j < columns; j += step) {
        enter(other, j);
        add(other);
    }
    const float mean = blockSum(sum) / (float)columns;
    float squares = 0.0f;
    const auto addSquares = [&](const float* v, unsigned int j) {
#pragma unroll
        for (unsigned int e = 0; e < kWidth; ++e) {
            float d = __fsub_rn(v[e], mean);
            squares = j < columns ? __fmaf_rn(d, d, squares) : squares; // beyond the row there is no distance
        }
    };
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k)
        addSquares(own[k], k * step + mine);
    for (unsigned int j = rest; j < columns; j += step) {
        enter(other, j);
        addSquares(other, j);
    }
    const float scale = 1.0f / sqrtf(__fadd_rn(blockSum(squares) / (float)columns, 1e-5f));
    const auto write = [&](const float* v, unsigned int j) {
        uint4 g = load<kWidth>(gain, j, columns), s = load<kWidth>(shift, j, columns);
        float out[kWidth];
#pragma unroll
        for (unsigned int e = 0; e < kWidth; ++e) {
            float d = __fmul_rn(__fsub_rn(v[e], mean), scale);
            out[e] = __fadd_rn(__fmul_rn(d, element<T>(g, e)), element<T>(s, e));
        }
        after(out, last);
        store<kWidth>(y, j, columns, out);
    };
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k)
        write(own[k], k * step + mine);
    for (unsigned int j = rest; j < columns; j += step) {
        enter(other, j);
        write(other, j);
    }
}

#define RIDGE_ROW(type, T)                                                                                             \
    extern "C" __global__ void __launch_bounds__(1024)                                                                 \
        fusion_row_##type(const T* x, const T* bias, const T* residual, const T* gain, const T* shift, T* y,           \
                          unsigned int rows, unsigned int columns, unsigned int seed, unsigned int last)               \
    {                                                                                                                  \
        if (columns % (16 / sizeof(T)) == 0)                                                                           \
            chain<16 / sizeof(T)>(x, bias, residual, gain, shift, y, columns, seed, last);                             \
        else                                                                                                           \
            chain<1>(x, bias, residual, gain, shift, y, columns, seed, last);                                          \
    }
RIDGE_ROW(fp32, unsigned int)
RIDGE_ROW(bf16, unsigned short)
