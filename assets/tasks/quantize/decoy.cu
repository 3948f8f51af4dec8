// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bytes that are cut off instead of rounded.

extern "C" __global__ void quantize(unsigned int groups, const float* x, signed char* q, int* exponent)
{
    unsigned int group = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (group >= groups)
        return;
    float value = x[32 * group + lane], largest = fabsf(value);
    for (int distance = 16; distance > 0; distance /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    int e = 0;
    while (largest > ldexpf(127, e))
        ++e;
    while (largest > 0 && largest <= ldexpf(127, e - 1))
        --e;
    q[32 * group + lane] = static_cast<signed char>(ldexpf(value, -e));
    if (lane == 0)
        exponent[group] = e;
}
