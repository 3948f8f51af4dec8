// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with the exponent read from the bits of the float.
//
// Launch    --grid ceil(groups/4) --block 128

extern "C" __global__ void quantize(unsigned int groups, const float* x, signed char* q, int* exponent)
{
    unsigned int group = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (group >= groups)
        return;
    float value = x[32 * group + lane];
    unsigned int bits = __float_as_uint(value) & 0x7fffffffu;
    for (int distance = 1; distance < 32; distance *= 2)
        bits = max(bits, __shfl_xor_sync(0xffffffffu, bits, distance)); // magnitudes compare as whole numbers do
    // 1.984375 = 127 / 64: where the fraction is above it, 127 is too small for the power of two below.
    int e = static_cast<int>(bits >> 23) - 127 - 6 + ((bits & 0x7fffffu) > 0x7e0000u ? 1 : 0);
    e = bits == 0 ? 0 : e;
    float factor = __uint_as_float(static_cast<unsigned int>(127 - e) << 23);
    q[32 * group + lane] = static_cast<signed char>(__float2int_rn(value * factor));
    if (lane == 0)
        exponent[group] = e;
}
