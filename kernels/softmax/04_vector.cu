// SPDX-License-Identifier: GPL-3.0-or-later
//
// Softmax, rung 4: 16 bytes a lane.
//
// Changed   over rung 3: a thread's 16 elements are four vectors of four, loaded and stored whole.
// Frees     three of four load and store instructions, and the arithmetic of their addresses.
// Gain      over rung 3: open until run on a GPU. Rows that are no multiple of four elements are moved one by one.

__device__ float minusInfinity()
{
    return __uint_as_float(0xff800000u);
}

// The largest of some numbers, and the sum of e^(number - largest) over all of them. Minus infinity adds nothing; NaN
// makes the sum NaN, and so does infinity.
struct Partial {
    float most, sum;
};

__device__ Partial nothing()
{
    return {minusInfinity(), 0.0f};
}

__device__ void add(Partial& all, float x)
{
    if (x == minusInfinity())
        return;
    float most = fmaxf(all.most, x);
    all.sum = __fmaf_rn(all.sum, __expf(all.most - most), __expf(x - most));
    all.most = most;
}

__device__ Partial merged(Partial a, Partial b)
{
    float most = fmaxf(a.most, b.most);
    if (most == minusInfinity())
        return {most, a.sum + b.sum};
    return {most, __fmaf_rn(a.sum, __expf(a.most - most), b.sum * __expf(b.most - most))};
}

// In every lane.
__device__ Partial warpMerged(Partial v)
{
    for (int s = 16; s > 0; s /= 2)
        v = merged(v, {__shfl_xor_sync(0xffffffffu, v.most, s), __shfl_xor_sync(0xffffffffu, v.sum, s)});
    return v;
}

// In every thread.
__device__ Partial blockMerged(Partial v)
{
    __shared__ Partial part[32];
    unsigned int lane = threadIdx.x % 32;
    v = warpMerged(v);
    if (lane == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    return warpMerged(lane < blockDim.x / 32 ? part[lane] : nothing());
}

constexpr unsigned int kOwn = 16; // elements of a thread

// kWidth elements of a row from i on, four or one; beyond its end minus infinity, which adds nothing.
template<unsigned int kWidth>
__device__ void load(float* v, const float* row, unsigned int i, unsigned int columns)
{
    if constexpr (kWidth == 1) {
        v[0] = i < columns ? row[i] : minusInfinity();
    } else {
        const float none = minusInfinity();
        float4 four = i < columns ? *(const float4*)(row + i) : make_float4(none, none, none, none);
        v[0] = four.x, v[1] = four.y, v[2] = four.z, v[3] = four.w;
    }
}

template<unsigned int kWidth>
__device__ void store(float* row, unsigned int i, unsigned int columns, const float* v, Partial all)
{
    if (i >= columns)
        return;
    float out[kWidth];
#pragma unroll
    for (unsigned int e = 0; e < kWidth; ++e)
        out[e] = __expf(v[e] - all.most) / all.sum;
    if constexpr (kWidth == 1)
        row[i] = out[0];
    else
        *(float4*)(row + i) = make_float4(out[0], out[1], out[2], out[3]);
}

template<unsigned int kWidth>
__device__ void softmax(const float* __restrict__ x, float* __restrict__ y, unsigned int columns)
{
    const unsigned int step = kWidth * blockDim.x, mine = kWidth * threadIdx.x;
    const unsigned int rest = kOwn / kWidth * step + mine; // the first elements that have no registers
    float own[kOwn / kWidth][kWidth], other[kWidth];
#pragma unroll
    for (unsigned int k = 0; k < kOwn / kWidth; ++k)
        load<kWidth>(own[k], x, k * step + mine, columns);
    Partial all = nothing();
#pragma unroll
    for (auto& each : own)
        for (float v : each)
            all.most = fmaxf(all.most, v);
#pragma unroll
    for (auto& each : own)
        for (float v : each)
            all.sum += v == minusInfinity() ? 0.0f : __expf(v - all.most);
    for (unsigned int i = rest; i < columns; i += step) {
        load<kWidth>(other, x, i, columns);
        for (float v : other)
            add(all, v);
    }
    all = blockMerged(all);
#pragma unroll
    for (unsigned int k = 0; k < kOwn / kWidth; ++k)
        store<kWidth>(y, k * step + mine, columns, own[k], all);
    for (unsigned int i = rest; i < columns; i += step) {
        load<kWidth>(other, x, i, columns);
        store<kWidth>(y, i, columns, other, all);
    }
}

extern "C" __global__ void __launch_bounds__(1024)
    softmax_vector(const float* __restrict__ x, float* __restrict__ y, unsigned int rows, unsigned int columns)
{
    if (blockIdx.x >= rows)
        return;
    x += (unsigned long long)blockIdx.x * columns;
    y += (unsigned long long)blockIdx.x * columns;
    if (columns % 4 == 0)
        softmax<4>(x, y, columns);
    else
        softmax<1>(x, y, columns);
}
