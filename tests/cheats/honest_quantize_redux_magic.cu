// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exponents and rounding by the bits of floats: adding 1.5 x 2^23 rounds to the nearest whole number.
//
// Launch    --grid ceil(groups/8) --block 256

extern "C" __global__ void quantize(unsigned int groups, const float* x, signed char* q, int* exponent)
{
    unsigned int g = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (g >= groups)
        return;
    float v = x[32 * g + lane];
    unsigned int a = __reduce_max_sync(~0u, __float_as_uint(v) & 0x7fffffffu);
    int e = a == 0 ? 0 : (int)((a + 0x1ffffu) >> 23) - 127 - 6; // 127/64 = 1.984375 has the bits 0x7e0000
    float scaled = ldexpf(v, -e);
    // adding 1.5 * 2^23 rounds to the nearest whole number
    int r = __float_as_int(__fadd_rn(scaled, 12582912.f)) - __float_as_int(12582912.f);
    q[32 * g + lane] = (signed char)r;
    if (lane == 0)
        exponent[g] = e;
}
