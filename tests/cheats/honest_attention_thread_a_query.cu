// SPDX-License-Identifier: GPL-3.0-or-later
//
// A thread for each query, all of it in registers.
//
// Launch    --grid ceil(n/32) --block 32

extern "C" __global__ void attention(unsigned int n, const float* q, const float* k, const float* v, float* out)
{
    unsigned int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= n)
        return;
    float query[32], result[32];
#pragma unroll
    for (int d = 0; d < 32; ++d)
        query[d] = q[32 * i + d], result[d] = 0;
    float m = -INFINITY, sum = 0;
    for (unsigned int j = 0; j <= i; ++j) {
        float s = 0;
#pragma unroll
        for (int d = 0; d < 32; ++d)
            s += query[d] * k[32 * j + d];
        s *= rsqrtf(32.f);
        if (s > m) {
            float old = expf(m - s);
            sum *= old;
#pragma unroll
            for (int d = 0; d < 32; ++d)
                result[d] *= old;
            m = s;
        }
        float w = expf(s - m);
        sum += w;
#pragma unroll
        for (int d = 0; d < 32; ++d)
            result[d] += w * v[32 * j + d];
    }
#pragma unroll
    for (int d = 0; d < 32; ++d)
        out[32 * i + d] = result[d] / sum;
}
