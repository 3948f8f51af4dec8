// SPDX-License-Identifier: GPL-3.0-or-later
//
// Keys and values through a pipeline of two stages.
//
// Launch    --grid ceil(n/4),heads --block 32,4

#include <cuda/pipeline>
extern "C" __global__ void flash(unsigned int heads, unsigned int n, const float* q, const float* k, const float* v,
                                 float* out)
{
    __shared__ alignas(16) float ks[2][16][32], vs[2][16][32];
    unsigned int lane = threadIdx.x, head = blockIdx.y * n, i = blockIdx.x * 4 + threadIdx.y;
    float own = i < n ? q[32 * (head + i) + lane] * 0.17677669529663688f : 0, m = -INFINITY, sum = 0, result = 0;
    auto pipe = cuda::make_pipeline();
    auto fetch = [&](unsigned int begin, int s) {
        pipe.producer_acquire();
        for (unsigned int r = threadIdx.y; r < 16; r += 4)
            if (begin + r < n) {
                cuda::memcpy_async(&ks[s][r][lane], &k[32 * (head + begin + r) + lane], sizeof(float), pipe);
                cuda::memcpy_async(&vs[s][r][lane], &v[32 * (head + begin + r) + lane], sizeof(float), pipe);
            }
        pipe.producer_commit();
    };
    fetch(0, 0);
    int s = 0;
    for (unsigned int begin = 0; begin < n; begin += 16, s ^= 1) {
        fetch(begin + 16, s ^ 1);
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        __syncthreads();
        for (unsigned int r = 0; r < 16 && begin + r < n; ++r) {
            float score = own * ks[s][r][lane];
            for (int d = 16; d; d /= 2)
                score += __shfl_xor_sync(~0u, score, d);
            float higher = fmaxf(m, score), old = expf(m - higher), w = expf(score - higher);
            sum = sum * old + w, result = result * old + w * vs[s][r][lane], m = higher;
        }
        pipe.consumer_release();
        __syncthreads();
    }
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    if (i < n)
        out[32 * (head + i) + lane] = result / sum;
}
