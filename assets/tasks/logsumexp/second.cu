// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same four numbers at a time: the sum is rescaled once for all four.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void logsumexp(unsigned int rows, unsigned int columns, const float* x, float* out)
{
    unsigned int row = blockIdx.x * 4 + threadIdx.y;
    if (row >= rows)
        return;
    const float* from = x + row * columns;
    float top = -1e30f, sum = 0; // below every number of the task, and finite
    for (unsigned int column = threadIdx.x; column < columns; column += 128) {
        float four[4];
#pragma unroll
        for (unsigned int k = 0; k < 4; ++k)
            four[k] = column + 32 * k < columns ? from[column + 32 * k] : -INFINITY;
        float higher = fmaxf(fmaxf(fmaxf(four[0], four[1]), fmaxf(four[2], four[3])), top);
        sum *= expf(top - higher);
#pragma unroll
        for (unsigned int k = 0; k < 4; ++k)
            sum += expf(four[k] - higher);
        top = higher;
    }
    float all = top;
    for (int distance = 16; distance > 0; distance /= 2)
        all = fmaxf(all, __shfl_xor_sync(0xffffffffu, all, distance));
    sum *= expf(top - all);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (threadIdx.x == 0)
        out[row] = all + logf(sum);
}
