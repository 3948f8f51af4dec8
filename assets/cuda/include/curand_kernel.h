// SPDX-License-Identifier: GPL-3.0-or-later
// Random numbers in a kernel under the names of cuRAND's device API (cuRAND guide, "Device API Overview"): XORWOW, Philox4x32-10
// (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011) and MRG32k3a, whose whole and uniform numbers are those of
// NVIDIA's header bit by bit; normal ones differ in last bits, for their logarithm is ours. Not there: MTGP32, Sobol, Poisson.
#pragma once
#pragma clang system_header

#include "../ridge/mrg32k3a.h"
#include "../ridge/xorwow_jumps.h"

struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE;
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// ---- XORWOW -----------------------------------------------------------------------------------------------------------------
RIDGE_FN void ridgeStep(unsigned int (&v)[5])
{
    const unsigned int t = v[0] ^ v[0] >> 2;
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
}
/// 2^power steps at once: the sum of the states that the polynomial names.
__device__ __attribute__((noinline)) inline void ridgeJump(unsigned int (&v)[5], int power)
{
    unsigned int sum[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 160; ++i) {
        if ((ridgeXorwowJumps[power][i / 32] >> (i % 32) & 1u) != 0)
            for (int k = 0; k < 5; ++k)
                sum[k] ^= v[k];
        ridgeStep(v);
    }
    for (int k = 0; k < 5; ++k)
        v[k] = sum[k];
}
RIDGE_FN void skipahead(unsigned long long n, curandStateXORWOW_t* state)
{
    unsigned int v[5] = {state->v[0], state->v[1], state->v[2], state->v[3], state->v[4]};
    for (unsigned long long left = n % 64; left > 0; --left)
        ridgeStep(v);
    for (int power = 6; power < 64; ++power)
        if ((n >> power & 1u) != 0)
            ridgeJump(v, power);
    for (int k = 0; k < 5; ++k)
        state->v[k] = v[k];
    state->d += 362437u * (unsigned int)n;
}
/// Subsequences lie 2^67 numbers apart.
RIDGE_FN void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state)
{
    unsigned int v[5] = {state->v[0], state->v[1], state->v[2], state->v[3], state->v[4]};
    for (int power = 0; power < 64 && n >> power != 0; ++power)
        if ((n >> power & 1u) != 0)
            ridgeJump(v, 67 + power);
    for (int k = 0; k < 5; ++k)
        state->v[k] = v[k];
}
RIDGE_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                          curandStateXORWOW_t* state)
{
    const unsigned int low = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u);
    const unsigned int high = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);
    state->d = 6615241u + high + low;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0.0f;
    state->boxmuller_extra_double = 0.0;
}
RIDGE_FN unsigned int curand(curandStateXORWOW_t* state)
{
    ridgeStep(state->v);
    state->d += 362437u;
    return state->v[4] + state->d;
}

// ---- Philox4x32-10 ----------------------------------------------------------------------------------------------------------
RIDGE_FN uint4 curand_Philox4x32_10(uint4 c, uint2 k)
{
    for (int round = 0; round < 10; ++round) {
        const unsigned int high = __umulhi(0xd2511f53u, c.x), low = 0xd2511f53u * c.x;
        const unsigned int high2 = __umulhi(0xcd9e8d57u, c.z), low2 = 0xcd9e8d57u * c.z;
        c = make_uint4(high2 ^ c.y ^ k.x, low2, high ^ c.w ^ k.y, low);
        k.x += 0x9e3779b9u;
        k.y += 0xbb67ae85u;
    }
    return c;
}
RIDGE_FN void ridgeAdvance(uint4* ctr, unsigned long long n)
{
    const unsigned long long low = (unsigned long long)ctr->y << 32 | ctr->x;
    const unsigned long long sum = low + n;
    ctr->x = (unsigned int)sum;
    ctr->y = (unsigned int)(sum >> 32);
    if (sum < low && ++ctr->z == 0)
        ++ctr->w;
}
RIDGE_FN void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state)
{
    state->STATE += (unsigned int)(n & 3);
    n /= 4;
    if (state->STATE > 3) {
        ++n;
        state->STATE -= 4;
    }
    ridgeAdvance(&state->ctr, n);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}
/// Subsequences lie 2^66 numbers apart.
RIDGE_FN void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state)
{
    const unsigned long long sum = ((unsigned long long)state->ctr.w << 32 | state->ctr.z) + n;
    state->ctr.z = (unsigned int)sum;
    state->ctr.w = (unsigned int)(sum >> 32);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}
RIDGE_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                          curandStatePhilox4_32_10_t* state)
{
    state->ctr = make_uint4(0, 0, 0, 0);
    state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    state->STATE = 0;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0.0f;
    state->boxmuller_extra_double = 0.0;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
RIDGE_FN void ridgeNextFour(curandStatePhilox4_32_10_t* state)
{
    ridgeAdvance(&state->ctr, 1);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}
RIDGE_FN unsigned int curand(curandStatePhilox4_32_10_t* state)
{
    const uint4 o = state->output;
    const unsigned int at = state->STATE++;
    const unsigned int value = at == 0 ? o.x : at == 1 ? o.y : at == 2 ? o.z : o.w;
    if (state->STATE == 4) {
        ridgeNextFour(state);
        state->STATE = 0;
    }
    return value;
}
RIDGE_FN uint4 curand4(curandStatePhilox4_32_10_t* state)
{
    const uint4 a = state->output;
    ridgeNextFour(state);
    const uint4 b = state->output;
    switch (state->STATE) {
    case 0: return a;
    case 1: return make_uint4(a.y, a.z, a.w, b.x);
    case 2: return make_uint4(a.z, a.w, b.x, b.y);
    default: return make_uint4(a.w, b.x, b.y, b.z);
    }
}

// ---- distributions ----------------------------------------------------------------------------------------------------------
/// In (0, 1].
RIDGE_FN float _curand_uniform(unsigned int x) { return x * 2.3283064e-10f + 2.3283064e-10f / 2.0f; }
RIDGE_FN float4 _curand_uniform4(uint4 x)
{
    return make_float4(_curand_uniform(x.x), _curand_uniform(x.y), _curand_uniform(x.z), _curand_uniform(x.w));
}
/// 53 bits of two words.
RIDGE_FN double _curand_uniform_double_hq(unsigned int x, unsigned int y)
{
    const unsigned long long z = (unsigned long long)x ^ (unsigned long long)y << 21;
    return z * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
}
/// Box and Muller's pair.
RIDGE_FN float2 _curand_box_muller(unsigned int x, unsigned int y)
{
    constexpr float kTurn = 2.3283064e-10f * 6.2831855f;
    const float s = sqrtf(-2.0f * logf(_curand_uniform(x)));
    float2 pair;
    __sincosf(y * kTurn + kTurn / 2.0f, &pair.x, &pair.y);
    pair.x *= s;
    pair.y *= s;
    return pair;
}
RIDGE_FN double2 _curand_box_muller_double(unsigned int x0, unsigned int x1, unsigned int y0, unsigned int y1)
{
    const unsigned long long z = (unsigned long long)y0 ^ (unsigned long long)y1 << 21;
    const double turn = z * (1.1102230246251565e-16 * 2.0) + 1.1102230246251565e-16;
    const double s = sqrt(-2.0 * log(_curand_uniform_double_hq(x0, x1)));
    double2 pair;
    sincospi(turn, &pair.x, &pair.y);
    pair.x *= s;
    pair.y *= s;
    return pair;
}
RIDGE_FN double2 ridgeNormalPair(curandStateXORWOW_t* state)
{
    const unsigned int x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
    return _curand_box_muller_double(x0, x1, y0, y1);
}
RIDGE_FN double2 ridgeNormalPair(curandStatePhilox4_32_10_t* state)
{
    const uint4 x = curand4(state);
    return _curand_box_muller_double(x.x, x.y, x.z, x.w);
}
/// XORWOW's and Philox' own.
#define RIDGE_RANDOM_WORDS(State)                                                                                      \
    RIDGE_FN float curand_uniform(State* state) { return _curand_uniform(curand(state)); }                             \
    RIDGE_FN float2 curand_normal2(State* state)                                                                       \
    {                                                                                                                  \
        const unsigned int x = curand(state), y = curand(state);                                                       \
        return _curand_box_muller(x, y);                                                                               \
    }
RIDGE_RANDOM_WORDS(curandStateXORWOW_t)
RIDGE_RANDOM_WORDS(curandStatePhilox4_32_10_t)
#undef RIDGE_RANDOM_WORDS
/// What all generators have. A second number of a pair is kept for the next call.
#define RIDGE_RANDOM(State)                                                                                            \
    RIDGE_FN float curand_normal(State* state)                                                                         \
    {                                                                                                                  \
        if (state->boxmuller_flag != 0) {                                                                              \
            state->boxmuller_flag = 0;                                                                                 \
            return state->boxmuller_extra;                                                                             \
        }                                                                                                              \
        const float2 pair = curand_normal2(state);                                                                     \
        state->boxmuller_extra = pair.y;                                                                               \
        state->boxmuller_flag = 1;                                                                                     \
        return pair.x;                                                                                                 \
    }                                                                                                                  \
    RIDGE_FN double2 curand_normal2_double(State* state) { return ridgeNormalPair(state); }                            \
    RIDGE_FN double curand_normal_double(State* state)                                                                 \
    {                                                                                                                  \
        if (state->boxmuller_flag_double != 0) {                                                                       \
            state->boxmuller_flag_double = 0;                                                                          \
            return state->boxmuller_extra_double;                                                                      \
        }                                                                                                              \
        const double2 pair = ridgeNormalPair(state);                                                                   \
        state->boxmuller_extra_double = pair.y;                                                                        \
        state->boxmuller_flag_double = 1;                                                                              \
        return pair.x;                                                                                                 \
    }                                                                                                                  \
    RIDGE_FN float curand_log_normal(State* state, float mean, float deviation)                                        \
    {                                                                                                                  \
        return expf(mean + deviation * curand_normal(state));                                                          \
    }                                                                                                                  \
    RIDGE_FN double curand_log_normal_double(State* state, double mean, double deviation)                              \
    {                                                                                                                  \
        return exp(mean + deviation * curand_normal_double(state));                                                    \
    }
RIDGE_RANDOM(curandStateXORWOW_t)
RIDGE_RANDOM(curandStatePhilox4_32_10_t)
RIDGE_RANDOM(curandStateMRG32k3a_t)
#undef RIDGE_RANDOM
RIDGE_FN double curand_uniform_double(curandStateXORWOW_t* state)
{
    const unsigned int x = curand(state), y = curand(state);
    return _curand_uniform_double_hq(x, y);
}
/// Of 32 bits alone, as cuRAND's guide says; curand_uniform2_double has 53 each.
RIDGE_FN double curand_uniform_double(curandStatePhilox4_32_10_t* state)
{
    return curand(state) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
RIDGE_FN float4 curand_uniform4(curandStatePhilox4_32_10_t* state) { return _curand_uniform4(curand4(state)); }
RIDGE_FN double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state)
{
    const uint4 x = curand4(state);
    return make_double2(_curand_uniform_double_hq(x.x, x.y), _curand_uniform_double_hq(x.z, x.w));
}
RIDGE_FN float4 curand_normal4(curandStatePhilox4_32_10_t* state)
{
    const uint4 x = curand4(state);
    const float2 a = _curand_box_muller(x.x, x.y), b = _curand_box_muller(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
