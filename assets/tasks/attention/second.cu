// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same 32 keys at a time: each lane scores a key of its own, and rescaling happens once for all 32.
//
// Launch    --grid ceil(n/4) --block 32,4

extern "C" __global__ void attention(unsigned int n, const float* q, const float* k, const float* v, float* out)
{
    __shared__ float queries[4][32];
    unsigned int i = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
    if (i >= n)
        return;
    float* query = queries[threadIdx.y];
    query[lane] = q[32 * i + lane];
    __syncwarp();
    float top = -INFINITY, sum = 0, result = 0;
    for (unsigned int begin = 0; begin <= i; begin += 32) {
        unsigned int j = begin + lane;
        float score = -INFINITY;
        if (j <= i) {
            const float4* key = reinterpret_cast<const float4*>(k + 32 * j);
            float product = 0;
#pragma unroll
            for (unsigned int d = 0; d < 8; ++d) {
                float4 part = key[d];
                product = fmaf(query[4 * d], part.x, product);
                product = fmaf(query[4 * d + 1], part.y, product);
                product = fmaf(query[4 * d + 2], part.z, product);
                product = fmaf(query[4 * d + 3], part.w, product);
            }
            score = product * rsqrtf(32.0f);
        }
        float higher = score;
        for (int distance = 16; distance > 0; distance /= 2)
            higher = fmaxf(higher, __shfl_xor_sync(0xffffffffu, higher, distance));
        higher = fmaxf(higher, top);
        float weight = expf(score - higher), old = expf(top - higher);
        sum = fmaf(sum, old, weight); // of this lane's keys; the lanes are added at the end
        result *= old;
        unsigned int keys = min(32u, i + 1 - begin);
        for (unsigned int other = 0; other < keys; ++other)
            result = fmaf(__shfl_sync(0xffffffffu, weight, other), v[32 * (begin + other) + lane], result);
        top = higher;
    }
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    out[32 * i + lane] = result / sum;
}
