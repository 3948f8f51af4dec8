// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reduction, rung 5: warp shuffles.
//
// Changed   the 32 lanes of a warp add through registers (five shuffles); shared memory holds one sum a warp, and one
//           barrier stands where eight stood.
// Frees     barriers and shared memory: no warp waits for another but once.
// Gain      over rung 4: open until run on a GPU. Still a block for every 512 elements: starting blocks now costs most.

template <class T>
__device__ T warpSum(T v)
{
    for (unsigned int s = 16; s > 0; s /= 2)
        v += __shfl_down_sync(0xffffffffu, v, s);
    return v; // the sum in lane 0
}

template <class T>
__device__ void reduceShuffle(const T* in, T* out, unsigned long long n)
{
    __shared__ T part[8];
    unsigned int t = threadIdx.x;
    unsigned long long i = (unsigned long long)blockIdx.x * 512 + t;
    T a = i < n ? in[i] : T(0);
    T b = i + 256 < n ? in[i + 256] : T(0);
    T sum = warpSum(a + b);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    if (t < 32) { // the whole first warp: every lane that the mask names must arrive
        sum = warpSum(t < 8 ? part[t] : T(0));
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}

extern "C" __global__ void reduce_shuffle_i32(const unsigned int* in, unsigned int* out, unsigned long long n)
{
    reduceShuffle(in, out, n);
}

extern "C" __global__ void reduce_shuffle_f32(const float* in, float* out, unsigned long long n)
{
    reduceShuffle(in, out, n);
}
