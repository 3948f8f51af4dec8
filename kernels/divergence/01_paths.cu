// SPDX-License-Identifier: GPL-3.0-or-later
//
// Divergence, rung 1: threads of a warp that take different paths.
//
// Shows     that a warp executes every path that one of its threads takes, one after the other, and that it costs
//           nothing when whole warps differ.
// Resource  issue slots: an instruction of a warp takes one, whether 32 lanes are active or one.
// Expect    heavy arms: time grows with the paths within a warp, 2x for groups of 1 to 16 threads, 1x from 32 on.
//           Short arms: the compiler gives both a predicate and drops the branch; the group's size does not matter.
// Gain      groups of 32 over groups of 1, heavy arms: open until run on a GPU.
//
// Thread t takes path (t / group) % paths. heavy_<n> has n arms behind a binary tree of branches; arm p multiplies and
// adds `work` times. short_2 has two arms of one instruction each, `work` times, under predicates. Volatile assembly
// with another number in each arm: no compiler may merge them.

template <int path> static __device__ unsigned int arm(unsigned int x, unsigned int factor, unsigned int work)
{
#pragma unroll 1
    for (unsigned int i = 0; i < work; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; ++k)
            asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(factor), "n"(2 * path + 1));
    }
    return x;
}

template <int first, int count> struct Tree {
    static __device__ unsigned int take(unsigned int path, unsigned int x, unsigned int factor, unsigned int work)
    {
        if (path < first + count / 2)
            return Tree<first, count / 2>::take(path, x, factor, work);
        return Tree<first + count / 2, count / 2>::take(path, x, factor, work);
    }
};
template <int first> struct Tree<first, 1> {
    static __device__ unsigned int take(unsigned int, unsigned int x, unsigned int factor, unsigned int work)
    {
        return arm<first>(x, factor, work);
    }
};

#define HEAVY(n)                                                                                                       \
    extern "C" __global__ void heavy_##n(const unsigned int* in, unsigned int* out, unsigned int group,                \
                                         unsigned int paths, unsigned int factor, unsigned int work)                   \
    {                                                                                                                  \
        unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;                                                   \
        out[thread] = Tree<0, n>::take(thread / group % paths, in[thread], factor, work);                              \
    }
HEAVY(2)
HEAVY(4)
HEAVY(8)
HEAVY(16)
HEAVY(32)

extern "C" __global__ void short_2(const unsigned int* in, unsigned int* out, unsigned int group, unsigned int paths,
                                   unsigned int factor, unsigned int work)
{
    unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int path = thread / group % paths, x = in[thread];
#pragma unroll 1
    for (unsigned int i = 0; i < work; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; ++k)
            asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 0; @p add.u32 %0, %0, %2; @!p xor.b32 %0, %0, %2; }"
                         : "+r"(x)
                         : "r"(path), "r"(factor));
    }
    out[thread] = x;
}
