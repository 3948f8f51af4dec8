// SPDX-License-Identifier: GPL-3.0-or-later
//
// Groups of 32 floats as bytes with a common exponent: a warp for each group.
//
// Launch    --grid ceil(groups/8) --block 256

extern "C" __global__ void quantize(unsigned int groups, const float* x, signed char* q, int* exponent)
{
    // @solution
    // @hint The largest magnitude of the group, in every lane.
    unsigned int group = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (group >= groups)
        return;
    float value = x[32 * group + lane], largest = fabsf(value);
    for (int distance = 16; distance > 0; distance /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    // @hint Which power of two brings it to 127 or just below?
    int e = 0;
    if (largest > 0) {
        float fraction = frexpf(largest, &e);
        e += fraction > 127.0f / 128 ? -6 : -7;
    }
    // @hint Divide, round, store.
    q[32 * group + lane] = static_cast<signed char>(__float2int_rn(ldexpf(value, -e)));
    if (lane == 0)
        exponent[group] = e;
    // @end
}
