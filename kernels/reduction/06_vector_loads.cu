// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reduction, rung 6: grid-stride loop and 16-byte loads.
//
// Changed   the grid is what the chip can hold at once, and every thread walks over the input with it, 16 bytes a load.
//           A second launch of one block adds the few partial sums.
// Frees     the start of blocks and the tree: both happen once a resident block, however long the input is. A quarter
//           of the load instructions moves the same bytes.
// Gain      over rung 5: open until run on a GPU. From here on the tree does not matter any more, only the loads do:
//           16 bytes a thread are in flight, 32 KiB on an SM of 2048 threads.

struct __align__(16) Int4 { unsigned int x, y, z, w; };
struct __align__(16) Float4 { float x, y, z, w; };

template <class T>
__device__ T warpSum(T v)
{
    for (unsigned int s = 16; s > 0; s /= 2)
        v += __shfl_down_sync(0xffffffffu, v, s);
    return v;
}

template <class T>
__device__ void blockSum(T sum, T* out)
{
    __shared__ T part[8];
    unsigned int t = threadIdx.x;
    sum = warpSum(sum);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = warpSum(t < 8 ? part[t] : T(0));
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}

template <class T, class V>
__device__ void reduceVectors(const T* in, T* out, unsigned long long n)
{
    unsigned long long step = (unsigned long long)gridDim.x * 256;
    unsigned long long first = (unsigned long long)blockIdx.x * 256 + threadIdx.x;
    const V* vectors = (const V*)in;
    T sum = T(0);
#pragma unroll 1 // rung 7 unrolls; here the compiler must not
    for (unsigned long long i = first; i < n / 4; i += step) {
        V v = vectors[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    unsigned long long last = n / 4 * 4 + first; // at most three elements
    if (last < n)
        sum += in[last];
    blockSum(sum, out);
}

extern "C" __global__ void reduce_vector_loads_i32(const unsigned int* in, unsigned int* out, unsigned long long n)
{
    reduceVectors<unsigned int, Int4>(in, out, n);
}

extern "C" __global__ void reduce_vector_loads_f32(const float* in, float* out, unsigned long long n)
{
    reduceVectors<float, Float4>(in, out, n);
}
