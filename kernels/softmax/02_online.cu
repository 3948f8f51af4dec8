// SPDX-License-Identifier: GPL-3.0-or-later
//
// Softmax, rung 2: largest number and sum in one pass.
//
// Changed   over rung 1: a thread keeps the largest number so far and the sum of e^(x - largest) that belongs to it. A
//           larger number makes the old sum smaller: sum = sum e^(old - new) + 1. Two such pairs become one in the same
//           way, so that a warp and a block join theirs.
// Frees     one of three reads of the row.
// Costs     a second e^x for each element.
// Gain      over rung 1: 4/3 at most where no cache helps; open until run on a GPU.

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

extern "C" __global__ void softmax_online(const float* __restrict__ x, float* __restrict__ y, unsigned int rows,
                                          unsigned int columns)
{
    if (blockIdx.x >= rows)
        return;
    x += (unsigned long long)blockIdx.x * columns;
    y += (unsigned long long)blockIdx.x * columns;
    Partial all = nothing();
    for (unsigned int i = threadIdx.x; i < columns; i += blockDim.x)
        add(all, x[i]);
    all = blockMerged(all);
    for (unsigned int i = threadIdx.x; i < columns; i += blockDim.x)
        y[i] = __expf(x[i] - all.most) / all.sum;
}
