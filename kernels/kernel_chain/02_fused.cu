// SPDX-License-Identifier: GPL-3.0-or-later
//
// Chain of elementwise operations, rung 2: all operations in one kernel.
//
// Launch    --grid 4 --block 256 --arg in:f32:4096:rand(1) --arg out:f32:4096 --arg u32:4096 --arg u32:100 --arg f32:-1.9
//
// Changed   the loop over operations moved from the host into the kernel. An element is read once, stays in a register
//           through the whole chain, and is written once.
// Shows     that fusion saves two things: all launches but one, and the bytes of every array in between. It saves no FLOP.
// Resource  launches, and device memory: 8 bytes an element for the whole chain. What is left is the chain itself; an
//           FMA waits for the one before, four cycles, and other warps fill that time.
// Expect    the time hardly grows with the number of operations until 2 FLOP an operation and element reach the FP32 peak.
// Gain      over a launch for each operation: open until run on a GPU.

constexpr unsigned int kThreads = 256;

static __device__ float operation(float x, float c)
{
    return __fmaf_rn(x, x, c);
}
static __device__ float4 operation(float4 x, float c)
{
    return make_float4(operation(x.x, c), operation(x.y, c), operation(x.z, c), operation(x.w, c));
}

template <class T> __device__ void chain(const T* in, T* out, unsigned int operations, float c)
{
    T x = *in;
    for (unsigned int k = 0; k < operations; ++k)
        x = operation(x, c);
    *out = x;
}

// Four elements a thread, as in the first rung: the two differ in nothing else.
extern "C" __global__ void __launch_bounds__(kThreads)
    fused_operations(const float* in, float* out, unsigned int n, unsigned int operations, float c)
{
    unsigned int first = 4 * (blockIdx.x * kThreads + threadIdx.x);
    if (first >= n)
        return;
    if (n - first >= 4) {
        chain((const float4*)(in + first), (float4*)(out + first), operations, c);
        return;
    }
    for (unsigned int i = first; i < n; ++i)
        chain(in + i, out + i, operations, c);
}
