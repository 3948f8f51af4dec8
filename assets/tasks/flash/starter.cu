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
        // The block loads a tile of keys and one of values. Who reads the last one must have finished.
        // Scores of this lane's key with the warp's eight queries.
        // Rescale what there is, and turn scores into weights. A key past the end has the weight 0.
        // Add the values with their weights: lane d has column d of the result.
    // The lanes' sums together, and the results divided by them.
}
