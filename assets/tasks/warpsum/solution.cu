// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sums of rows of 32: a warp for each row.
//
// Launch    --grid ceil(rows/8) --block 256

extern "C" __global__ void warpsum(unsigned int rows, const float* in, float* out)
{
    // @solution
    // @hint Which row is this warp's, and which of its numbers is this lane's?
    unsigned int lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows)
        return;
    float sum = in[32 * row + lane];
    // @hint Halve the distance until it is gone.
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (lane == 0)
        out[row] = sum;
    // @end
}
