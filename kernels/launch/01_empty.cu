// SPDX-License-Identifier: GPL-3.0-or-later
//
// Launch cost, rung 1: kernels that do nothing, and the same ones with a counter.
//
// Shows     what a launch costs when there is no work: the CPU's call, the way to the GPU, the gap between kernels.
// Resource  the CPU thread that calls, and the front end of the GPU that starts blocks.
// Expect    a few microseconds from call to start; about 2.5 us a launch from one thread; below 1.5 us a node in a graph.
//           Parameters travel with the launch: up to 4096 bytes of them.
// Gain      graph over stream, time a launch: open until run on a GPU.
//
// empty_N and count_N take N bytes of parameters. The counting ones prove that every launch has run: each adds the value
// of its last parameter, so that the end of the parameter block is seen to arrive, too.

#define ONE(name) unsigned long long name,
#define EIGHT(p) ONE(p##0) ONE(p##1) ONE(p##2) ONE(p##3) ONE(p##4) ONE(p##5) ONE(p##6) ONE(p##7)
#define SIXTY_FOUR(p) EIGHT(p##0) EIGHT(p##1) EIGHT(p##2) EIGHT(p##3) EIGHT(p##4) EIGHT(p##5) EIGHT(p##6) EIGHT(p##7)
#define SIX(p) ONE(p##0) ONE(p##1) ONE(p##2) ONE(p##3) ONE(p##4) ONE(p##5)

// Between the counter and the last one: 8-byte parameters that nobody reads.
#define REST_64 SIX(a)
#define REST_256 SIX(a) EIGHT(b0) EIGHT(b1) EIGHT(b2)
#define REST_1024 SIX(a) EIGHT(b0) EIGHT(b1) EIGHT(b2) EIGHT(b3) EIGHT(b4) EIGHT(b5) EIGHT(b6) SIXTY_FOUR(c)
#define REST_4096                                                                                                      \
    SIX(a) EIGHT(b0) EIGHT(b1) EIGHT(b2) EIGHT(b3) EIGHT(b4) EIGHT(b5) EIGHT(b6)                                       \
    SIXTY_FOUR(c0) SIXTY_FOUR(c1) SIXTY_FOUR(c2) SIXTY_FOUR(c3) SIXTY_FOUR(c4) SIXTY_FOUR(c5) SIXTY_FOUR(c6)

static __device__ void add(unsigned int* counter, unsigned int step)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        atomicAdd(counter, step);
}

extern "C" __global__ void empty_0() {}
extern "C" __global__ void empty_8(unsigned int* counter) {}
extern "C" __global__ void count_8(unsigned int* counter)
{
    add(counter, 1);
}

#define PAIR(bytes)                                                                                                    \
    extern "C" __global__ void empty_##bytes(unsigned int* counter, REST_##bytes unsigned long long last) {}           \
    extern "C" __global__ void count_##bytes(unsigned int* counter, REST_##bytes unsigned long long last)              \
    {                                                                                                                  \
        add(counter, (unsigned int)last);                                                                              \
    }

PAIR(64)
PAIR(256)
PAIR(1024)
PAIR(4096)
