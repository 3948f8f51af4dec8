// SPDX-License-Identifier: GPL-3.0-or-later
//
// Logarithm of a sum of exponentials in one pass: a warp for each row.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void logsumexp(unsigned int rows, unsigned int columns, const float* x, float* out)
{
    unsigned int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    // @solution
    // @hint What this lane has seen: the largest, and the sum of exp(x - largest).
    float largest = -INFINITY, sum = 0;
    for (unsigned int column = lane; column < columns; column += 32) {
        float value = x[row * columns + column];
        if (value > largest) {
            sum = sum * expf(largest - value) + 1;
            largest = value;
        } else {
            sum += expf(value - largest);
        }
    }
    // @hint Merge with other lanes. Some lanes have seen nothing.
    for (int distance = 16; distance > 0; distance /= 2) {
        float otherLargest = __shfl_xor_sync(0xffffffffu, largest, distance);
        float otherSum = __shfl_xor_sync(0xffffffffu, sum, distance);
        float both = fmaxf(largest, otherLargest);
        if (both > -INFINITY)
            sum = sum * expf(largest - both) + otherSum * expf(otherLargest - both);
        largest = both;
    }
    if (lane == 0)
        out[row] = largest + logf(sum);
    // @end
}
