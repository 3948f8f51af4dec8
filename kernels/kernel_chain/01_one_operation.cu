// SPDX-License-Identifier: GPL-3.0-or-later
//
// Chain of elementwise operations, rung 1: a kernel for each operation.
//
// Shows     what a framework does with y = f(x), z = f(y) …: every operation reads its whole input and writes its whole
//           output, and every operation is a launch.
// Resource  the CPU thread that calls, the front end of the GPU, and device memory. The arithmetic is one FMA an element.
// Expect    arrays of a few KB: the time of a chain is its number of launches. Arrays of many MB: 8 bytes an element and
//           operation at the memory's bandwidth.
// Gain      the first rung; a graph of the same launches against single calls: open until run on a GPU.
//
// The operation is x * x + c with c = -1.9, rounded once. It keeps values within [-1.9, 1.71] and doubles the distance of
// neighbours about every second step, so that a chain with one operation too few, too many or skipped ends elsewhere.

constexpr unsigned int kThreads = 256;

static __device__ float operation(float x, float c)
{
    return __fmaf_rn(x, x, c);
}
static __device__ float4 operation(float4 x, float c)
{
    return make_float4(operation(x.x, c), operation(x.y, c), operation(x.z, c), operation(x.w, c));
}

// Four elements a thread. The arrays are aligned to 16 bytes; the thread in which the array ends takes single elements.
extern "C" __global__ void __launch_bounds__(kThreads)
    one_operation(const float* in, float* out, unsigned int n, float c)
{
    unsigned int first = 4 * (blockIdx.x * kThreads + threadIdx.x);
    if (first >= n)
        return;
    if (n - first >= 4) {
        *(float4*)(out + first) = operation(*(const float4*)(in + first), c);
        return;
    }
    for (unsigned int i = first; i < n; ++i)
        out[i] = operation(in[i], c);
}
