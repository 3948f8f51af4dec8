// SPDX-License-Identifier: GPL-3.0-or-later
//
// Attention that forgets to divide the scores by the root of 32.
//
// Launch    --grid ceil(n/4),heads --block 32,4

/// The sum over the lanes of a warp, in every lane.
static __device__ float warpSum(float value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    return value;
}

extern "C" __global__ void flash(unsigned int heads, unsigned int n, const float* q, const float* k, const float* v,
                                 float* out)
{
    unsigned int i = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x, head = blockIdx.y * n * 32;
    if (i >= n)
        return;
    float largest = -INFINITY, sum = 0, result = 0;
    for (unsigned int j = 0; j < n; ++j) {
        float score = warpSum(q[head + 32 * i + lane] * k[head + 32 * j + lane]);
        float higher = fmaxf(largest, score), old = expf(largest - higher), now = expf(score - higher);
        sum = sum * old + now;
        result = result * old + now * v[head + 32 * j + lane];
        largest = higher;
    }
    out[head + 32 * i + lane] = result / sum;
}
