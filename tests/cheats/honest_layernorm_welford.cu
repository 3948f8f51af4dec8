// SPDX-License-Identifier: GPL-3.0-or-later
//
// Mean and variance in one pass, after Welford.
//
// Launch    --grid ceil(rows/4) --block 32,4

struct Moments {
    float count = 0, mean = 0, m2 = 0;
    __device__ void add(float v)
    {
        count += 1;
        float d = v - mean;
        mean += d / count;
        m2 += d * (v - mean);
    }
    __device__ void merge(const Moments& o)
    {
        float all = count + o.count;
        if (all == 0)
            return;
        float d = o.mean - mean;
        mean += d * (o.count / all);
        m2 += o.m2 + d * d * (count * o.count / all);
        count = all;
    }
};
extern "C" __global__ void layernorm(unsigned int rows, unsigned int columns, const float* x, const float* g,
                                     const float* b, float* y)
{
    unsigned int row = blockIdx.x * 4 + threadIdx.y;
    if (row >= rows)
        return;
    x += row * columns, y += row * columns;
    Moments own;
    for (unsigned int i = threadIdx.x; i < columns; i += 32)
        own.add(x[i]);
    for (int d = 16; d; d /= 2) {
        Moments other;
        other.count = __shfl_xor_sync(~0u, own.count, d), other.mean = __shfl_xor_sync(~0u, own.mean, d),
        other.m2 = __shfl_xor_sync(~0u, own.m2, d);
        own.merge(other);
    }
    float factor = rsqrtf(own.m2 / columns + 1e-5f);
    float mean = __shfl_sync(~0u, own.mean, 0);
    factor = __shfl_sync(~0u, factor, 0);
    for (unsigned int i = threadIdx.x; i < columns; i += 32)
        y[i] = (x[i] - mean) * factor * g[i] + b[i];
}
