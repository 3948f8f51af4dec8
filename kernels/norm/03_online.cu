// SPDX-License-Identifier: GPL-3.0-or-later
//
// Normalisation, rung 3: mean and spread in one pass.
//
// Changed   each thread keeps count, mean and sum of squared distances, and brings them up to date with every element
//           (Welford); then pairs of threads are merged (Chan). LayerNorm reads the row twice instead of three times.
// Frees     one read of the row for LayerNorm. RMSNorm had no mean to wait for: it reads the row twice as before and
//           gains nothing here.
// Costs     a division for each element, where rung 2 has an addition. Sums of x and of x squared would need none, but
//           their difference loses every digit where the mean is large against the spread.
// Gain      over rung 2: open until run on a GPU; where the row stays in the caches, it may be a loss.

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

struct Moments {
    float count, mean, squares; // squares: sum of squared distances from the mean
};

__device__ Moments merged(Moments a, Moments b)
{
    float count = a.count + b.count;
    if (count == 0.0f)
        return a;
    float d = b.mean - a.mean;
    float share = b.count / count;
    return {count, a.mean + d * share, a.squares + b.squares + d * d * (a.count * share)};
}

// In lane 0.
__device__ Moments warpMoments(Moments m)
{
    for (unsigned int s = 16; s > 0; s /= 2) {
        Moments other;
        other.count = __shfl_down_sync(0xffffffffu, m.count, s);
        other.mean = __shfl_down_sync(0xffffffffu, m.mean, s);
        other.squares = __shfl_down_sync(0xffffffffu, m.squares, s);
        m = merged(m, other);
    }
    return m;
}

// In every thread.
__device__ Moments blockMoments(Moments m)
{
    __shared__ Moments part[32], whole;
    unsigned int lane = threadIdx.x % 32;
    m = warpMoments(m);
    if (lane == 0)
        part[threadIdx.x / 32] = m;
    __syncthreads();
    if (threadIdx.x < 32) {
        Moments none = {0.0f, 0.0f, 0.0f};
        m = warpMoments(lane < blockDim.x / 32 ? part[lane] : none);
        if (lane == 0)
            whole = m;
    }
    __syncthreads();
    return whole;
}

template<bool kLayer>
__device__ void normOnline(const unsigned short* __restrict__ x, const unsigned short* __restrict__ weight,
                           const unsigned short* __restrict__ bias, unsigned short* __restrict__ y, unsigned int rows,
                           unsigned int columns, float epsilon)
{
    if (blockIdx.x >= rows)
        return;
    unsigned long long begin = (unsigned long long)blockIdx.x * columns;
    const unsigned short* row = x + begin;
    Moments own = {0.0f, 0.0f, 0.0f};
    for (unsigned int i = threadIdx.x; i < columns; i += blockDim.x) {
        float v = toFloat(row[i]);
        own.count += 1.0f;
        if (kLayer) {
            float d = v - own.mean;
            own.mean += d / own.count;
            own.squares += d * (v - own.mean);
        } else {
            own.squares += v * v;
        }
    }
    Moments all = blockMoments(own);
    float scale = 1.0f / sqrtf(all.squares / (float)columns + epsilon);
    for (unsigned int i = threadIdx.x; i < columns; i += blockDim.x) {
        float v = (toFloat(row[i]) - all.mean) * scale * toFloat(weight[i]);
        y[begin + i] = toBf16(kLayer ? v + toFloat(bias[i]) : v);
    }
}

extern "C" __global__ void norm_online_rms(const unsigned short* __restrict__ x,
                                           const unsigned short* __restrict__ weight, unsigned short* __restrict__ y,
                                           unsigned int rows, unsigned int columns, float epsilon)
{
    normOnline<false>(x, weight, nullptr, y, rows, columns, epsilon);
}

extern "C" __global__ void norm_online_layer(const unsigned short* __restrict__ x,
                                             const unsigned short* __restrict__ weight,
                                             const unsigned short* __restrict__ bias, unsigned short* __restrict__ y,
                                             unsigned int rows, unsigned int columns, float epsilon)
{
    normOnline<true>(x, weight, bias, y, rows, columns, epsilon);
}
