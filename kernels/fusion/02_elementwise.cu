// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fused operations, rung 2: neighbours that work element by element share a kernel.
//
// Changed   over rung 1: an element goes through all operators up to the norm in a register, and through all after it
//           in another kernel. The norm, which needs a whole row before it can give its first result, keeps its own
//           kernel, that of rung 1.
// Frees     bytes: what these operators hand to each other is not written and not read.
// Gain      over rung 1: the quotient of the bytes, 9 tensors to 3 for the first four operators; open until run on a
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

// An element through the operators kFirst to kLast. What one hands to the next is never contracted with it, or the
// result would round differently from that of rung 1.
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

// All kernels of the chain take the same arguments, and use what they need.
#define RIDGE_CHAIN(first, last, type, T)                                                                              \
    extern "C" __global__ void fusion_##first##_##last##_##type(const T* x, const T* bias, const T* residual,          \
                                                                const T*, const T*, T* y, unsigned int rows,           \
                                                                unsigned int columns, unsigned int seed)               \
    {                                                                                                                  \
        elementwise<first, last>(x, bias, residual, y, rows * columns, columns, seed);                                 \
    }
#define RIDGE_TYPE(type, T)                                                                                            \
    RIDGE_CHAIN(1, 2, type, T)                                                                                         \
    RIDGE_CHAIN(1, 3, type, T)                                                                                         \
    RIDGE_CHAIN(1, 4, type, T)                                                                                         \
    RIDGE_CHAIN(6, 7, type, T)                                                                                         \
    RIDGE_CHAIN(6, 8, type, T)
RIDGE_TYPE(fp32, unsigned int)
RIDGE_TYPE(bf16, unsigned short)
