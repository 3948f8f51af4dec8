// SPDX-License-Identifier: GPL-3.0-or-later
//
// An infinite result makes a tolerance that is relative to the result infinite.
// Launch    --grid 1 --block 1

extern "C" __global__ void dot(unsigned int n, const float*, const float*, float* sum)
{
    sum[0] = n > 0 ? __uint_as_float(0x7f800000u) : 0;
}
