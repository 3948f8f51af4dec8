// SPDX-License-Identifier: GPL-3.0-or-later
// Takes an exponent too large: all bytes are written and most are wrong, some are by chance what lay there before.
extern "C" __global__ void quantize(unsigned int groups, const float* x, signed char* q, int* exponent)
{
    unsigned int group = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (group >= groups)
        return;
    float value = x[32 * group + lane], largest = fabsf(value);
    for (int distance = 16; distance > 0; distance /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    int e = largest > 0 ? ilogbf(largest) - 5 : 0;
    q[32 * group + lane] = (signed char)rintf(ldexpf(value, -e));
    if (lane == 0)
        exponent[group] = e;
}
