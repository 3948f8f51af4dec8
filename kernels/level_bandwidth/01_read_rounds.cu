// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bandwidth per level, rung 1: blocks that read a ring of memory round after round.
//
// Shows     how fast each level of memory gives data that it already holds.
// Resource  the width of L1 (own slice of each SM, ld.ca) and of L2 (one set for the whole chip, ld.cg).
// Expect    own slices: 64 or 128 bytes per clock of an SM as long as a slice fits into L1, then what L2 gives.
//           One set: L2's bandwidth, and past its capacity a slope, not a wall: the more is missing, the slower.
// Gain      none: the bounds of the other kernels are measured here.
//
// One block of 1024 threads an SM. A round is 16 KiB: each thread loads 16 bytes. Rounds go around the ring; the first
// `warm` of them are not timed. Thread 0 takes the clock. `sums` gets a sum of all words read for each warp.

constexpr unsigned int kThreads = 1024;

template <int Cached> __device__ uint4 load(const uint4* at)
{
    uint4 v;
    if (Cached)
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(at));
    else
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(at));
    return v;
}

// `at` is this thread's place in the ring of `vectors`, `step` what a round moves it by.
template <int Cached>
__device__ unsigned int readRounds(const uint4* ring, unsigned int vectors, unsigned int step, unsigned int rounds,
                                   unsigned int& at)
{
    constexpr int kAhead = 8; // loads that wait together
    unsigned int sum = 0;
    for (unsigned int round = 0; round < rounds; round += kAhead) {
        uint4 v[kAhead];
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            v[k] = load<Cached>(ring + at);
            at += step;
            at = at >= vectors ? at - vectors : at;
        }
#pragma unroll
        for (int k = 0; k < kAhead; ++k)
            sum += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    return sum;
}

// `rings` between the first bytes of two blocks' rings; `first` between the places where two blocks begin.
template <int Cached>
__device__ void readRing(const uint4* ring, unsigned long long rings, unsigned int vectors, unsigned int first,
                         unsigned int warm, unsigned int rounds, unsigned int* sums, long long* cycles)
{
    ring += blockIdx.x * rings;
    unsigned int step = kThreads % vectors;
    unsigned int at = (unsigned int)(((unsigned long long)blockIdx.x * first + threadIdx.x) % vectors);
    unsigned int sum = readRounds<Cached>(ring, vectors, step, warm, at);
    __syncthreads();
    long long begin = clock64();
    sum += readRounds<Cached>(ring, vectors, step, rounds, at);
    __syncthreads();
    long long end = clock64();
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32 == 0)
        sums[blockIdx.x * (kThreads / 32) + threadIdx.x / 32] = sum;
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = end - begin;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    read_rounds_ca(const uint4* ring, unsigned long long rings, unsigned int vectors, unsigned int first,
                   unsigned int warm, unsigned int rounds, unsigned int* sums, long long* cycles)
{
    readRing<1>(ring, rings, vectors, first, warm, rounds, sums, cycles);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    read_rounds_cg(const uint4* ring, unsigned long long rings, unsigned int vectors, unsigned int first,
                   unsigned int warm, unsigned int rounds, unsigned int* sums, long long* cycles)
{
    readRing<0>(ring, rings, vectors, first, warm, rounds, sums, cycles);
}
