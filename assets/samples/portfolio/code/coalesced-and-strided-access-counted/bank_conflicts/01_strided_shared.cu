// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bank conflicts, rung 1: the strided shared-memory read.
//
// Shows     what one warp-wide shared load costs when its lanes meet in a bank.
// Resource  32 banks of 4 bytes. Word w lives in bank w % 32; a bank hands out one word per pass (wavefront).
// Expect    4-byte words: gcd(stride, 32) passes. Stride 32 puts all lanes into bank 0: 32 passes. Stride 33 needs one.
//           8- and 16-byte words are served as 2 half-warps and 4 quarter-warps: 2 and 4 passes at stride 1.
// Gain      stride 33 over stride 32, in time: open until run on a GPU.

static __device__ unsigned int fold(unsigned int v) { return v; }
static __device__ unsigned int fold(uint2 v) { return v.x + 3 * v.y; }
static __device__ unsigned int fold(uint4 v) { return v.x + 3 * v.y + 5 * v.z + 7 * v.w; }

template <class T>
__device__ void stridedShared(unsigned int* out, unsigned int stride, unsigned int iterations, unsigned int zero,
                              unsigned int salt)
{
    extern __shared__ uint4 window[]; // uint4, so that 16-byte loads are aligned; its size comes with the launch
    unsigned int* words = (unsigned int*)window;
    const T* tile = (const T*)window;

    // Word w holds w + salt. The block fills what the strided reads span; neighbours write neighbours: no conflict.
    unsigned int count = (31 * stride + 1) * sizeof(T) / 4;
    for (unsigned int w = threadIdx.x; w < count; w += blockDim.x)
        words[w] = w + salt;
    __syncthreads();

    // `zero` is 0, but only the launch knows: no compiler may take the load out of the loop.
    unsigned int lane = threadIdx.x % 32;
    unsigned int sum = 0;
    for (unsigned int i = 0; i < iterations; ++i)
        sum += fold(tile[lane * stride + (i & zero)]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void strided_shared_4(unsigned int* out, unsigned int stride, unsigned int iterations,
                                            unsigned int zero, unsigned int salt)
{
    stridedShared<unsigned int>(out, stride, iterations, zero, salt);
}

extern "C" __global__ void strided_shared_8(unsigned int* out, unsigned int stride, unsigned int iterations,
                                            unsigned int zero, unsigned int salt)
{
    stridedShared<uint2>(out, stride, iterations, zero, salt);
}

extern "C" __global__ void strided_shared_16(unsigned int* out, unsigned int stride, unsigned int iterations,
                                             unsigned int zero, unsigned int salt)
{
    stridedShared<uint4>(out, stride, iterations, zero, salt);
}
