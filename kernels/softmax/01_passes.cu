// SPDX-License-Identifier: GPL-3.0-or-later
//
// Softmax, rung 1: a pass over the row for each question.
//
// Shows     the definition, a block of 256 threads a row. What is the largest number, what is the sum of
//           e^(x - largest), what comes out? Without the largest, e^x is infinite from 89 on.
// Resource  bytes: the row is read three times and written once. Later reads come from L1 or L2 as long as the rows of
//           all resident blocks fit there.
// Gain      none: this is what the others are held against. Open until run on a GPU.

__device__ float minusInfinity()
{
    return __uint_as_float(0xff800000u);
}

// In every lane; `join` makes one number of two.
template<class Join>
__device__ float warpJoined(float v, Join join)
{
    for (int s = 16; s > 0; s /= 2)
        v = join(v, __shfl_xor_sync(0xffffffffu, v, s));
    return v;
}

// In every thread. `none` changes no result.
template<class Join>
__device__ float blockJoined(float v, float none, Join join)
{
    __shared__ float part[32];
    unsigned int lane = threadIdx.x % 32;
    v = warpJoined(v, join);
    __syncthreads(); // whoever still reads what was joined before
    if (lane == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    return warpJoined(lane < blockDim.x / 32 ? part[lane] : none, join);
}

extern "C" __global__ void softmax_passes(const float* __restrict__ x, float* __restrict__ y, unsigned int rows,
                                          unsigned int columns)
{
    if (blockIdx.x >= rows)
        return;
    x += (unsigned long long)blockIdx.x * columns;
    y += (unsigned long long)blockIdx.x * columns;
    float most = minusInfinity();
    for (unsigned int i = threadIdx.x; i < columns; i += blockDim.x)
        most = fmaxf(most, x[i]);
    most = blockJoined(most, minusInfinity(), [](float a, float b) { return fmaxf(a, b); });
    float sum = 0.0f;
    for (unsigned int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += __expf(x[i] - most);
    sum = blockJoined(sum, 0.0f, [](float a, float b) { return a + b; });
    for (unsigned int i = threadIdx.x; i < columns; i += blockDim.x)
        y[i] = __expf(x[i] - most) / sum;
}
