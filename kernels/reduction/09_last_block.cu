// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reduction, rung 9: one pass, the last block adds up.
//
// Changed   each block writes its partial sum, then takes a ticket from a counter in memory; whoever draws the last ticket
//           knows that all partial sums are there and adds them. The second launch is gone.
// Frees     one launch, which is most of the time of a short input. The fence between the partial sum and the ticket is
//           what makes it correct: without it the last block may read a sum that is not there yet.
// Gain      over rung 7: open until run on a GPU; a launch for short inputs, nothing for long ones. atomicInc wraps the
//           counter to 0 with the last ticket, so that the next launch needs no clearing. The sum does not depend on the
//           order in which blocks end: float results repeat bit for bit.

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
            *out = sum;
    }
}

template <class T, class V>
__device__ T addUp(V v)
{
    return (v.x + v.y) + (v.z + v.w);
}

template <class T, class V>
__device__ void reduceOnePass(const T* in, T* out, unsigned long long n, volatile T* partials, unsigned int* tickets)
{
    unsigned long long step = (unsigned long long)gridDim.x * 256;
    unsigned long long first = (unsigned long long)blockIdx.x * 256 + threadIdx.x;
    unsigned long long count = n / 4;
    const V* vectors = (const V*)in;
    T sum[4] = {T(0), T(0), T(0), T(0)};
    unsigned long long i = first;
#pragma unroll 1
    for (; i + 3 * step < count; i += 4 * step) {
        V a = vectors[i];
        V b = vectors[i + step];
        V c = vectors[i + 2 * step];
        V d = vectors[i + 3 * step];
        sum[0] += addUp<T>(a);
        sum[1] += addUp<T>(b);
        sum[2] += addUp<T>(c);
        sum[3] += addUp<T>(d);
    }
    // What is left is less than four steps: at most three loads, which need not wait for each other either.
    V zero = {T(0), T(0), T(0), T(0)};
    V a = i < count ? vectors[i] : zero;
    V b = i + step < count ? vectors[i + step] : zero;
    V c = i + 2 * step < count ? vectors[i + 2 * step] : zero;
    sum[0] += addUp<T>(a);
    sum[1] += addUp<T>(b);
    sum[2] += addUp<T>(c);
    unsigned long long last = count * 4 + first;
    if (last < n)
        sum[3] += in[last];
    blockSum((sum[0] + sum[1]) + (sum[2] + sum[3]), (T*)&partials[blockIdx.x]);

    __shared__ bool isLast;
    if (threadIdx.x == 0) {
        __threadfence(); // the partial sum before the ticket
        isLast = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!isLast)
        return;
    __threadfence(); // the tickets of the others before their partial sums
    T total = T(0);
    for (unsigned int block = threadIdx.x; block < gridDim.x; block += 256)
        total += partials[block]; // volatile: never from this SM's own cache
    blockSum(total, out);
}

extern "C" __global__ void reduce_last_block_i32(const unsigned int* in, unsigned int* out, unsigned long long n,
                                                 unsigned int* partials, unsigned int* tickets)
{
    reduceOnePass<unsigned int, Int4>(in, out, n, partials, tickets);
}

extern "C" __global__ void reduce_last_block_f32(const float* in, float* out, unsigned long long n, float* partials,
                                                 unsigned int* tickets)
{
    reduceOnePass<float, Float4>(in, out, n, partials, tickets);
}
