// SPDX-License-Identifier: GPL-3.0-or-later
//
// Causal attention with heads of 32: a warp for each query.
//
// Launch    --grid ceil(n/4) --block 32,4

/// The sum over the lanes of a warp, in every lane.
static __device__ float warpSum(float value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    return value;
}

extern "C" __global__ void attention(unsigned int n, const float* q, const float* k, const float* v, float* out)
{
    unsigned int i = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (i >= n)
        return;
    // This lane's part of the query, and what it keeps as it goes along the keys.
        // The score of key j, then the old is rescaled and the new added.
}
