// SPDX-License-Identifier: GPL-3.0-or-later
//
// Takes an exponent too many where the largest is just 127 times a power of two.
//
// Launch    --grid ceil(groups/8) --block 256

extern "C" __global__ void quantize(unsigned int groups, const float* x, signed char* q, int* exponent)
{
    unsigned int group = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (group >= groups)
        return;
    float own = x[32 * group + lane], a = fabsf(own);
    for (int distance = 16; distance > 0; distance /= 2)
        a = fmaxf(a, __shfl_xor_sync(0xffffffffu, a, distance));
    int e;
    float fraction = frexpf(a, &e);
    e = a == 0 ? 0 : fraction < 0.9921875f ? e - 7 : e - 6;
    float scaled = ldexpf(own, -e);
    q[32 * group + lane] = static_cast<signed char>(__float2int_rn(scaled));
    if (lane == 0)
        exponent[group] = e;
}
