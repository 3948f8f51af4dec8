// SPDX-License-Identifier: GPL-3.0-or-later
// MRG32k3a (P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators", Operations
// Research 47(1), 1999) under the names of cuRAND's device API; included by curand_kernel.h. In whole numbers: NVIDIA's header computes
// in doubles and gets the same.
#pragma once
#pragma clang system_header

struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

/// Both recurrences as matrices, to the powers 1, 2^76 (a subsequence) and 2^127 (a sequence): computed, modulo the two primes.
static __device__ __attribute__((constant)) const unsigned int ridgeMrgJumps[6][3][3] = {
    {{0u, 1u, 0u}, {0u, 0u, 1u}, {4294156359u, 1403580u, 0u}},
    {{0u, 1u, 0u}, {0u, 0u, 1u}, {4293573854u, 0u, 527612u}},
    {{82758667u, 1871391091u, 4127413238u}, {3672831523u, 69195019u, 1871391091u}, {3672091415u, 3528743235u, 69195019u}},
    {{1511326704u, 3759209742u, 1610795712u}, {4292754251u, 1511326704u, 3889917532u}, {3859662829u, 4292754251u, 3708466080u}},
    {{2427906178u, 3580155704u, 949770784u}, {226153695u, 1230515664u, 3580155704u}, {1988835001u, 986791581u, 1230515664u}},
    {{1464411153u, 277697599u, 1610723613u}, {32183930u, 1464411153u, 1022607788u}, {2824425944u, 32183930u, 2093834863u}},
};

RIDGE_FN unsigned int ridgeMrgPrime(int which) { return which == 0 ? 4294967087u : 4294944443u; }
/// The state's vector n jumps on: the jump is squared for each bit of n.
__device__ __attribute__((noinline)) inline void ridgeMrgJump(unsigned int* v, int which, int jump, unsigned long long n)
{
    const unsigned long long prime = ridgeMrgPrime(which);
    unsigned int step[3][3];
    for (int i = 0; i < 9; ++i)
        step[i / 3][i % 3] = ridgeMrgJumps[2 * jump + which][i / 3][i % 3];
    for (; n != 0; n >>= 1) {
        if ((n & 1) != 0) {
            unsigned int next[3];
            for (int i = 0; i < 3; ++i) {
                unsigned long long sum = 0;
                for (int k = 0; k < 3; ++k)
                    sum = (sum + (unsigned long long)step[i][k] * v[k] % prime) % prime;
                next[i] = (unsigned int)sum;
            }
            for (int i = 0; i < 3; ++i)
                v[i] = next[i];
        }
        unsigned int square[3][3];
        for (int i = 0; i < 9; ++i) {
            unsigned long long sum = 0;
            for (int k = 0; k < 3; ++k)
                sum = (sum + (unsigned long long)step[i / 3][k] * step[k][i % 3] % prime) % prime;
            square[i / 3][i % 3] = (unsigned int)sum;
        }
        for (int i = 0; i < 9; ++i)
            step[i / 3][i % 3] = square[i / 3][i % 3];
    }
}
RIDGE_FN void ridgeMrgJump(curandStateMRG32k3a_t* state, int jump, unsigned long long n)
{
    ridgeMrgJump(state->s1, 0, jump, n);
    ridgeMrgJump(state->s2, 1, jump, n);
}
RIDGE_FN void skipahead(unsigned long long n, curandStateMRG32k3a_t* state) { ridgeMrgJump(state, 0, n); }
RIDGE_FN void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t* state) { ridgeMrgJump(state, 1, n); }
RIDGE_FN void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* state) { ridgeMrgJump(state, 2, n); }
RIDGE_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                          curandStateMRG32k3a_t* state)
{
    const unsigned int low = (unsigned int)seed ^ 0x55555555u, high = (unsigned int)(seed >> 32) ^ 0xaaaaaaaau;
    for (int i = 0; i < 3; ++i) {
        const bool even = i != 1;
        state->s1[i] = seed == 0 ? 12345u : (unsigned int)(12345ull * (even ? low : high) % ridgeMrgPrime(0));
        state->s2[i] = seed == 0 ? 12345u : (unsigned int)(12345ull * (even ? high : low) % ridgeMrgPrime(1));
    }
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0.0f;
    state->boxmuller_extra_double = 0.0;
}
/// From 1 to the first prime.
RIDGE_FN double curand_MRG32k3a(curandStateMRG32k3a_t* state)
{
    const long long prime1 = ridgeMrgPrime(0), prime2 = ridgeMrgPrime(1);
    const long long a = (1403580ll * state->s1[1] - 810728ll * state->s1[0]) % prime1;
    const long long b = (527612ll * state->s2[2] - 1370589ll * state->s2[0]) % prime2;
    const long long first = a < 0 ? a + prime1 : a, second = b < 0 ? b + prime2 : b;
    state->s1[0] = state->s1[1];
    state->s1[1] = state->s1[2];
    state->s1[2] = (unsigned int)first;
    state->s2[0] = state->s2[1];
    state->s2[1] = state->s2[2];
    state->s2[2] = (unsigned int)second;
    return (double)(first > second ? first - second : first - second + prime1);
}
/// Stretched to all 32 bits.
RIDGE_FN unsigned int curand(curandStateMRG32k3a_t* state)
{
    return (unsigned int)(curand_MRG32k3a(state) * 1.000000048662);
}
RIDGE_FN double curand_uniform_double(curandStateMRG32k3a_t* state)
{
    return curand_MRG32k3a(state) * 2.3283065498378288e-10;
}
RIDGE_FN float curand_uniform(curandStateMRG32k3a_t* state) { return (float)curand_uniform_double(state); }
RIDGE_FN float2 curand_normal2(curandStateMRG32k3a_t* state)
{
    const float x = curand_uniform(state), turn = curand_uniform(state) * 6.2831855f, s = sqrtf(-2.0f * logf(x));
    float2 pair;
    __sincosf(turn, &pair.x, &pair.y);
    pair.x *= s;
    pair.y *= s;
    return pair;
}
RIDGE_FN double2 ridgeNormalPair(curandStateMRG32k3a_t* state)
{
    const double x = curand_uniform_double(state), turn = curand_uniform_double(state) * 2.0, s = sqrt(-2.0 * log(x));
    double2 pair;
    sincospi(turn, &pair.x, &pair.y);
    pair.x *= s;
    pair.y *= s;
    return pair;
}
