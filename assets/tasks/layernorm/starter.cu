// SPDX-License-Identifier: GPL-3.0-or-later
//
// LayerNorm: a warp for each row, in three passes.
//
// Launch    --grid ceil(rows/4) --block 32,4

/// The sum over the lanes of a warp, in every lane.
static __device__ float warpSum(float value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    return value;
}

extern "C" __global__ void layernorm(unsigned int rows, unsigned int columns, const float* x, const float* g,
                                     const float* b, float* y)
{
    unsigned int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    x += row * columns;
    y += row * columns;
    // First the mean.
    // Then the variance about it.
    // Then the result.
}
