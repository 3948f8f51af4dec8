// SPDX-License-Identifier: GPL-3.0-or-later
//
// One pass that forgets to rescale the sum when a larger number comes.

extern "C" __global__ void logsumexp(unsigned int rows, unsigned int columns, const float* x, float* out)
{
    unsigned int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    float largest = -INFINITY, sum = 0;
    for (unsigned int column = threadIdx.x; column < columns; column += 32) {
        largest = fmaxf(largest, x[row * columns + column]);
        sum += expf(x[row * columns + column] - largest);
    }
    float all = largest;
    for (int distance = 16; distance > 0; distance /= 2)
        all = fmaxf(all, __shfl_xor_sync(0xffffffffu, all, distance));
    sum *= sum > 0 ? expf(largest - all) : 0;
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (threadIdx.x == 0)
        out[row] = all + logf(sum);
}
