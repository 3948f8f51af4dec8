// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fused operations, rung 1: a kernel for each operator.
//
// Shows     a chain as a framework runs it line by line: bias, GELU, dropout, residual sum, LayerNorm, then scale,
// clamp
//           and round as a fake quantization has them. Each kernel reads a tensor and writes one.
// Resource  bytes: what an operator hands to the next is written to memory and read again. Every operator reads one
//           tensor and writes one; the residual sum reads two.
// Gain      none: this is what the others are held against. Open until run on a GPU.
//
// Sums of products are never contracted (__fmul_rn, __fadd_rn), or a fused chain would round differently from this one.

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

// One element, where a vector of them would not fit.
template<class T>
__device__ float widened(T bits)
{
    return __uint_as_float(sizeof(T) == 4 ? bits : (unsigned int)bits << 16);
}

template<class T>
__device__ T narrowed(float value)
{
    return (T)(sizeof(T) == 4 ? __float_as_uint(value) : rounded(value) >> 16);
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

enum Operator { kBias = 1, kGelu, kDropout, kResidual, kNorm, kScale, kClamp, kRound };

// An element through the operators kFirst to kLast.
template<int kFirst, int kLast>
__device__ float through(float v, float bias, float residual, unsigned int i, unsigned int seed)
{
    const auto has = [](int op) { return kFirst <= op && op <= kLast; };
    if (has(kBias))
        v = __fadd_rn(v, bias);
    if (has(kGelu))
        v = gelu(v);
    if (has(kDropout))
        v = __fmul_rn(v, drawn(i, seed) < kDropped ? 0.0f : 1.0f / 0.9f);
    if (has(kResidual))
        v = __fadd_rn(v, residual);
    if (has(kScale))
        v = __fmul_rn(v, 16.0f);
    if (has(kClamp))
        v = v < -127.0f ? -127.0f : v > 127.0f ? 127.0f : v; // NaN is neither, and goes through
    if (has(kRound))
        v = rintf(v);
    return v;
}

// 16 bytes of the array a thread. The last ones, and columns that no 16 bytes divide, go one by one.
template<int kFirst, int kLast, class T>
__device__ void elementwise(const T* __restrict__ x, const T* __restrict__ bias, const T* __restrict__ residual,
                            T* __restrict__ y, unsigned int n, unsigned int columns, unsigned int seed)
{
    constexpr unsigned int kVec = 16 / sizeof(T);
    constexpr bool kHasBias = kFirst == kBias, kHasResidual = kFirst <= kResidual && kResidual <= kLast;
    unsigned int i = kVec * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n)
        return;
    if (n - i >= kVec && (!kHasBias || columns % kVec == 0)) {
        uint4 in = *(const uint4*)(x + i), b = in, r = in;
        if (kHasResidual)
            r = *(const uint4*)(residual + i);
        if (kHasBias)
            b = *(const uint4*)(bias + i % columns);
        float out[kVec];
#pragma unroll
        for (unsigned int e = 0; e < kVec; ++e)
            out[e] = through<kFirst, kLast>(element<T>(in, e), element<T>(b, e), element<T>(r, e), i + e, seed);
        *(uint4*)(y + i) = packed<T>(out);
        return;
    }
    for (unsigned int end = min(n, i + kVec); i < end; ++i) {
        float b = kHasBias ? widened(bias[i % columns]) : 0.0f, r = kHasResidual ? widened(residual[i]) : 0.0f;
        y[i] = narrowed<T>(through<kFirst, kLast>(widened(x[i]), b, r, i, seed));
    }
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
// register is read again in every pass.
template<unsigned int kWidth, class T>
__device__ void norm(const T* __restrict__ x, const T* __restrict__ gain, const T* __restrict__ shift,
                     T* __restrict__ y, unsigned int columns)
{
    constexpr unsigned int kOwn = kKept / kWidth;
    const unsigned int step = kWidth * blockDim.x, mine = kWidth * threadIdx.x, rest = kOwn * step + mine;
    x += (unsigned long long)blockIdx.x * columns;
    y += (unsigned long long)blockIdx.x * columns;
    uint4 own[kOwn];
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k)
        own[k] = load<kWidth>(x, k * step + mine, columns);
    float sum = 0.0f;
    const auto add = [&](uint4 v) {
#pragma unroll
        for (unsigned int e = 0; e < kWidth; ++e)
            sum = __fadd_rn(sum, element<T>(v, e));
    };
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k)
        add(own[k]);
    for (unsigned int j = rest; j < columns; j += step)
        add(load<kWidth>(x, j, columns));
    const float mean = blockSum(sum) / (float)columns;
    float squares = 0.0f;
    const auto addSquares = [&](uint4 v, unsigned int j) {
#pragma unroll
        for (unsigned int e = 0; e < kWidth; ++e) {
            float d = __fsub_rn(element<T>(v, e), mean);
            squares = j < columns ? __fmaf_rn(d, d, squares) : squares; // beyond the row there is no distance
        }
    };
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k)
        addSquares(own[k], k * step + mine);
    for (unsigned int j = rest; j < columns; j += step)
        addSquares(load<kWidth>(x, j, columns), j);
    const float scale = 1.0f / sqrtf(__fadd_rn(blockSum(squares) / (float)columns, 1e-5f));
    const auto write = [&](uint4 v, unsigned int j) {
        uint4 g = load<kWidth>(gain, j, columns), s = load<kWidth>(shift, j, columns);
        float out[kWidth];
#pragma unroll
        for (unsigned int e = 0; e < kWidth; ++e) {
            float d = __fmul_rn(__fsub_rn(element<T>(v, e), mean), scale);
            out[e] = __fadd_rn(__fmul_rn(d, element<T>(g, e)), element<T>(s, e));
        }
        store<kWidth>(y, j, columns, out);
    };
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k)
        write(own[k], k * step + mine);
    for (unsigned int j = rest; j < columns; j += step)
        write(load<kWidth>(x, j, columns), j);
}

// All kernels of the chain take the same arguments, and use what they need.
#define RIDGE_OPERATOR(name, op, type, T)                                                                              \
    extern "C" __global__ void fusion_##name##_##type(const T* x, const T* bias, const T* residual, const T*,          \
                                                      const T*, T* y, unsigned int rows, unsigned int columns,         \
                                                      unsigned int seed)                                               \
    {                                                                                                                  \
        elementwise<op, op>(x, bias, residual, y, rows * columns, columns, seed);                                      \
    }
#define RIDGE_TYPE(type, T)                                                                                            \
    RIDGE_OPERATOR(bias, kBias, type, T)                                                                               \
    RIDGE_OPERATOR(gelu, kGelu, type, T)                                                                               \
    RIDGE_OPERATOR(dropout, kDropout, type, T)                                                                         \
    RIDGE_OPERATOR(residual, kResidual, type, T)                                                                       \
    RIDGE_OPERATOR(scale, kScale, type, T)                                                                             \
    RIDGE_OPERATOR(clamp, kClamp, type, T)                                                                             \
    RIDGE_OPERATOR(round, kRound, type, T)                                                                             \
    extern "C" __global__ void __launch_bounds__(1024)                                                                 \
        fusion_norm_##type(const T* x, const T*, const T*, const T* gain, const T* shift, T* y, unsigned int rows,     \
                           unsigned int columns, unsigned int)                                                         \
    {                                                                                                                  \
        if (columns % (16 / sizeof(T)) == 0)                                                                           \
            norm<16 / sizeof(T)>(x, gain, shift, y, columns);                                                          \
        else                                                                                                           \
            norm<1>(x, gain, shift, y, columns);                                                                       \
    }
RIDGE_TYPE(fp32, unsigned int)
RIDGE_TYPE(bf16, unsigned short)
