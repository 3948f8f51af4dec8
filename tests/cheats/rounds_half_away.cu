// SPDX-License-Identifier: GPL-3.0-or-later
//
// Of two whole numbers that are equally near it takes the one further from 0, and not the even one.
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
    e = a == 0 ? 0 : fraction <= 0.9921875f ? e - 7 : e - 6;
    float scaled = ldexpf(own, -e);
    q[32 * group + lane] = static_cast<signed char>(roundf(scaled));
    if (lane == 0)
        exponent[group] = e;
}
