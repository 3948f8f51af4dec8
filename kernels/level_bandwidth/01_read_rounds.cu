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
// One block of 1024 threads an SM. A round is 16 KiB: each thread loads 16 bytes. Eight rounds wait together; where the
// ring has eight or more, they are a step around it, else they are the same few rounds again (SPAN is how many differ),
// so that hardly anything but loads is left to issue. The first `warm` rounds are not timed. Thread 0 takes the clock.
// `sums` gets a sum of all words read for each warp.
//
// To read a word twice in a row is something that ptxas does not do (on an H200 the rounds seemed to come at 500 bytes per
// clock of an SM, four times what an L1 is wide). `still` is 0, which only the host knows: the places look different.

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

template <int Cached, int Span>
__device__ unsigned int readRounds(const uint4* ring, unsigned int vectors, unsigned int rounds, unsigned int& at,
                                   unsigned int still)
{
    constexpr int kAhead = 8;
    unsigned int sum = 0;
    for (unsigned int round = 0; round < rounds; round += kAhead) {
        uint4 v[kAhead];
#pragma unroll
        for (int k = 0; k < kAhead; ++k)
            v[k] = load<Cached>(ring + at + k % Span * kThreads + k / Span * still);
#pragma unroll
        for (int k = 0; k < kAhead; ++k)
            sum += v[k].x + v[k].y + v[k].z + v[k].w;
        if (Span == kAhead) {
            at += kAhead * kThreads;
            at = at >= vectors ? at - vectors : at;
        } else {
            at += still;
        }
    }
    return sum;
}

// `rings` vectors between two blocks' rings; 0: one ring for all, in which every block begins in a place of its own.
template <int Cached, int Span>
__device__ void readRing(const uint4* ring, unsigned long long rings, unsigned int vectors, unsigned int warm,
                         unsigned int rounds, unsigned int* sums, long long* cycles)
{
    ring += blockIdx.x * rings;
    unsigned int at = threadIdx.x % vectors;
    if (rings == 0)
        at += (unsigned int)((unsigned long long)blockIdx.x * (vectors / (Span * kThreads)) / gridDim.x) * Span *
              kThreads;
    const unsigned int still = warm >> 31;
    unsigned int sum = readRounds<Cached, Span>(ring, vectors, warm, at, still);
    __syncthreads();
    long long begin = clock64();
    sum += readRounds<Cached, Span>(ring, vectors, rounds, at, still);
    __syncthreads();
    long long end = clock64();
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32 == 0)
        sums[blockIdx.x * (kThreads / 32) + threadIdx.x / 32] = sum;
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = end - begin;
}

#define READ_ROUNDS(kind, cached, span)                                                                                \
    extern "C" __global__ void __launch_bounds__(kThreads)                                                             \
        read_##kind##_##span(const uint4* ring, unsigned long long rings, unsigned int vectors, unsigned int warm,     \
                             unsigned int rounds, unsigned int* sums, long long* cycles)                               \
    {                                                                                                                  \
        readRing<cached, span>(ring, rings, vectors, warm, rounds, sums, cycles);                                      \
    }

READ_ROUNDS(ca, 1, 1)
READ_ROUNDS(ca, 1, 2)
READ_ROUNDS(ca, 1, 4)
READ_ROUNDS(ca, 1, 8)
READ_ROUNDS(cg, 0, 1)
READ_ROUNDS(cg, 0, 2)
READ_ROUNDS(cg, 0, 4)
READ_ROUNDS(cg, 0, 8)
