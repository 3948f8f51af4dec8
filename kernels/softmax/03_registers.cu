// SPDX-License-Identifier: GPL-3.0-or-later
//
// Softmax, rung 3: the row stays in registers.
//
// Changed   over rung 2: a thread keeps 16 elements in registers, and the block is as large as the row needs, up to
//           1024 threads. What a row of more than 16384 columns has beyond them is read twice, as in rung 2.
// Frees     all reads but the first, and the second e^x: with all 16 at hand, the largest is known before the first
//           e^x.
// Gain      over rung 2: 3/2 at most where no cache helps; open until run on a GPU.

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

extern "C" __global__ void __launch_bounds__(1024)
    softmax_registers(const float* __restrict__ x, float* __restrict__ y, unsigned int rows, unsigned int columns)
{
    if (blockIdx.x >= rows)
        return;
    x += (unsigned long long)blockIdx.x * columns;
    y += (unsigned long long)blockIdx.x * columns;
    const unsigned int rest = kOwn * blockDim.x + threadIdx.x; // the first element that has no register
    float own[kOwn];
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k) {
        unsigned int i = k * blockDim.x + threadIdx.x;
        own[k] = i < columns ? x[i] : minusInfinity(); // which adds nothing
    }
    Partial all = nothing();
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k)
        all.most = fmaxf(all.most, own[k]);
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k)
        all.sum += own[k] == minusInfinity() ? 0.0f : __expf(own[k] - all.most);
    for (unsigned int i = rest; i < columns; i += blockDim.x)
        add(all, x[i]);
    all = blockMerged(all);
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k)
        if (k * blockDim.x + threadIdx.x < columns)
            y[k * blockDim.x + threadIdx.x] = __expf(own[k] - all.most) / all.sum;
    for (unsigned int i = rest; i < columns; i += blockDim.x)
        y[i] = __expf(x[i] - all.most) / all.sum;
}
