// SPDX-License-Identifier: GPL-3.0-or-later
//
// Shuffles inside of an if that half of the lanes do not enter.
//
// Launch    --grid ceil(rows/8) --block 256

extern "C" __global__ void warpsum(unsigned int rows, const float* in, float* out)
{
    unsigned int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float own = in[row * 32 + lane];
    for (int distance = 16; distance > 0; distance /= 2)
        if (lane < distance)
            own += __shfl_down_sync(0xffffffffu, own, distance);
    if (lane == 0)
        out[row] = own;
}
