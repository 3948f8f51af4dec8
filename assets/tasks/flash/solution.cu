// SPDX-License-Identifier: GPL-3.0-or-later
//
// Attention by tiles: a block takes 32 queries of a head, and its tiles of 32 keys and values serve all of them.
//
// Launch    --grid ceil(n/32),heads --block 32,4

/// The largest over the lanes of a warp, in every lane.
static __device__ float warpLargest(float value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, distance));
    return value;
}

extern "C" __global__ void flash(unsigned int heads, unsigned int n, const float* q, const float* k, const float* v,
                                 float* out)
{
    __shared__ float queries[32][32], keys[32][33], values[32][32];
    unsigned int lane = threadIdx.x, warp = threadIdx.y, first = blockIdx.x * 32, head = blockIdx.y * n;
    // Warp w has the queries w, w + 4, w + 8 ... of the block.
    float largest[8], sum[8], result[8];
    for (unsigned int own = 0; own < 8; ++own) {
        unsigned int i = first + 4 * own + warp;
        queries[4 * own + warp][lane] = i < n ? q[32 * (head + i) + lane] * 0.17677669529663688f : 0;
        largest[own] = -INFINITY;
        sum[own] = result[own] = 0;
    }
    // @solution
    for (unsigned int begin = 0; begin < n; begin += 32) {
        // @hint The block loads a tile of keys and one of values. Who reads the last one must have finished.
        __syncthreads();
        for (unsigned int row = warp; row < 32; row += 4) {
            bool exists = begin + row < n;
            keys[row][lane] = exists ? k[32 * (head + begin + row) + lane] : 0;
            values[row][lane] = exists ? v[32 * (head + begin + row) + lane] : 0;
        }
        __syncthreads();
        // @hint Scores of this lane's key with the warp's eight queries.
        float score[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        for (unsigned int d = 0; d < 32; ++d) {
            float key = keys[lane][d];
            for (unsigned int own = 0; own < 8; ++own)
                score[own] += queries[4 * own + warp][d] * key;
        }
        // @hint Rescale what there is, and turn scores into weights. A key past the end has the weight 0.
        for (unsigned int own = 0; own < 8; ++own) {
            float now = begin + lane < n ? score[own] : -INFINITY;
            float higher = fmaxf(largest[own], warpLargest(now)), old = expf(largest[own] - higher);
            score[own] = expf(now - higher);
            sum[own] = sum[own] * old + score[own];
            result[own] *= old;
            largest[own] = higher;
        }
        // @hint Add the values with their weights: lane d has column d of the result.
        for (unsigned int j = 0; j < 32; ++j) {
            float value = values[j][lane];
            for (unsigned int own = 0; own < 8; ++own)
                result[own] += __shfl_sync(0xffffffffu, score[own], j) * value;
        }
    }
    // @hint The lanes' sums together, and the results divided by them.
    for (unsigned int own = 0; own < 8; ++own) {
        float all = sum[own];
        for (int distance = 16; distance > 0; distance /= 2)
            all += __shfl_xor_sync(0xffffffffu, all, distance);
        unsigned int i = first + 4 * own + warp;
        if (i < n)
            out[32 * (head + i) + lane] = result[own] / all;
    }
    // @end
}
