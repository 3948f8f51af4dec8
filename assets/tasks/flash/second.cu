// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same query by query, with keys and values from the cache: a warp for each query, 32 keys at a time.
//
// Launch    --grid ceil(n/4),heads --block 32,4

extern "C" __global__ void flash(unsigned int heads, unsigned int n, const float* q, const float* k, const float* v,
                                 float* out)
{
    unsigned int i = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x, head = blockIdx.y * n * 32;
    if (i >= n)
        return;
    const float4* query = reinterpret_cast<const float4*>(q + head + 32 * i);
    float top = -INFINITY, sum = 0, result = 0;
    for (unsigned int begin = 0; begin < n; begin += 32) {
        float product = 0;
        const float4* key = reinterpret_cast<const float4*>(k + head + 32 * min(begin + lane, n - 1));
#pragma unroll
        for (unsigned int d = 0; d < 8; ++d) {
            float4 a = query[d], b = key[d];
            product += a.x * b.x + a.y * b.y + (a.z * b.z + a.w * b.w);
        }
        float score = begin + lane < n ? product * rsqrtf(32.0f) : -INFINITY, higher = score;
        for (int distance = 1; distance < 32; distance *= 2)
            higher = fmaxf(higher, __shfl_xor_sync(0xffffffffu, higher, distance));
        higher = fmaxf(higher, top);
        float weight = expf(score - higher), old = expf(top - higher);
        sum = fmaf(sum, old, weight);
        result *= old;
        for (unsigned int other = 0; other < min(32u, n - begin); ++other)
            result = fmaf(__shfl_sync(0xffffffffu, weight, other), v[head + 32 * (begin + other) + lane], result);
        top = higher;
    }
    for (int distance = 1; distance < 32; distance *= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    out[head + 32 * i + lane] = result / sum;
}
