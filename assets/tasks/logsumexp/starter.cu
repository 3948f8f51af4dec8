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
    // What this lane has seen: the largest, and the sum of exp(x - largest).
    // Merge with other lanes. Some lanes have seen nothing.
}
